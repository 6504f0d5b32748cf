/**
 * One walk over the bytes of an answer, beside the parser that takes it apart: it shows whether
 * these are JSON to the letter, which fields and kinds the records have, which records the tables
 * have to look at closely, and where secret fields stand.
 */
import { packCells } from '../cells.ts'
import type { Stream } from '../stream.ts'
import {
  JSON_BYTES,
  NOT_JSON,
  afterSpace,
  afterToken,
  endOfExponent,
  endOfFraction,
  endOfText,
  endOfWholePart,
  endOfWord,
  standsAt,
  viewOf,
} from './json-text.ts'
import { COUNTER, SecretCuts, TOKEN, createPlaces, isSecretName, isTooDeep } from './places.ts'
import type { Place, Places } from './places.ts'

/** What a walk has shown. */
export interface Walked {
  /** The tree that it went along. */
  places: Places
  /** Items of the list. */
  records: number
  /**
   * Positions of records that have a key twice, or a value that may not fit its declaration; all
   * others have neither.
   */
  doubtful: number[]
  /** Positions of those that have a key twice, anywhere. */
  twice: number[]
  /** The answer itself has a field twice, its list say: nobody knows which of the two counts. */
  hasFieldTwice: boolean
  /** Where secret fields stand, wherever in the answer. */
  secrets: SecretCuts
  /** For each counter of the places, what was counted, and the position of the first record. */
  counts: Int32Array
  firsts: Int32Array
  /**
   * Where the values of columns stand in the text without its secret fields (`cells.ts`); undefined
   * where there is space between the tokens, which nothing that is stored has.
   */
  cells: Int32Array | undefined
}

/** Walks an answer whose list stands at `$` or `$.name`; undefined where it is no strict JSON. */
export type AnswerWalker = (json: Buffer, listPath: string) => Walked | undefined

export function createAnswerWalker(stream: Stream): AnswerWalker {
  const places = createPlaces(stream)
  return (json, listPath) => {
    const name = listPath.slice(2)
    const list = name === '' ? places.answer : places.fieldOf(places.answer, name)
    try {
      return new Walk(json, places, list).run()
    } catch (error) {
      // No text that is nested as deep as that is taken by SQLite, either.
      if (error === NOT_JSON || error instanceof RangeError) return undefined
      throw error
    }
  }
}

/** Only `null` begins with an n. */
const LETTER_N = 0x6e
/** So many fields may be left out between two that mostly follow each other. */
const GUESSES = 5
/** A number of no more characters is exact as whole milliseconds, and no year has five digits. */
const MOST_WHOLE = 13
const MOST_DECIMAL = 30
const { QUOTE, COMMA, MINUS, ZERO, NINE, COLON, LIST, END_OF_LIST, OBJECT, END_OF_OBJECT } =
  JSON_BYTES
const { BACKSLASH, SPACE } = JSON_BYTES

class Walk {
  readonly #json: Buffer
  readonly #letters: DataView
  readonly #places: Places
  readonly #list: Place
  #counts: Int32Array
  #firsts: Int32Array
  /** Of the record that is walked, -1 outside of the list. */
  #position = -1
  #records = 0
  #isDoubtful = false
  #isTwice = false
  #hasFieldTwice = false
  /** No space between tokens. */
  #isCompact = true
  readonly #doubtful: number[] = []
  readonly #twice: number[] = []
  readonly #secrets = new SecretCuts()
  /** Whether the field whose key was read last is a secret one. */
  #isSecret = false
  /** Names that share a place, by the object that has them. */
  readonly #sharedNames = new Set<string>()
  #endOfKey = 0

  constructor(json: Buffer, places: Places, list: Place) {
    this.#json = json
    this.#letters = viewOf(json)
    this.#places = places
    this.#list = list
    this.#counts = new Int32Array(places.counters())
    this.#firsts = new Int32Array(places.counters())
  }

  run(): Walked {
    const json = this.#json
    const { tables } = this.#places
    for (const table of tables) table.clear()
    const end = this.#value(afterSpace(json, 0), this.#places.answer)
    if (afterSpace(json, end) !== json.length) throw NOT_JSON
    return {
      places: this.#places,
      records: this.#records,
      doubtful: this.#doubtful,
      twice: this.#twice,
      hasFieldTwice: this.#hasFieldTwice,
      secrets: this.#secrets,
      counts: this.#counts,
      firsts: this.#firsts,
      cells: this.#isCompact ? packCells(tables) : undefined,
    }
  }

  /** Nearly no answer has space between its tokens, so that is asked first, here and below. */
  #afterSpace(at: number): number {
    if (this.#json[at]! > SPACE) return at
    const next = afterSpace(this.#json, at)
    if (next !== at) this.#isCompact = false
    return next
  }

  #afterToken(at: number, token: number): number {
    const json = this.#json
    if (json[at] === token && json[at + 1]! > SPACE) return at + 1
    const next = afterToken(json, at, token)
    if (next !== at + 1) this.#isCompact = false
    return next
  }

  /** Answers where the value ends, as the other methods do. */
  #value(at: number, place: Place): number {
    const byte = this.#json[at]!
    if (byte === QUOTE) return this.#text(at + 1, place)
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return this.#number(at, place)
    if (byte === OBJECT) return this.#object(at + 1, place)
    if (byte === LIST) return this.#items(at + 1, place)
    return this.#word(at, place)
  }

  #text(from: number, place: Place): number {
    const end = endOfText(this.#json, from)
    this.#note(place, end === from ? TOKEN.emptyText : TOKEN.text, COUNTER.text)
    return end + 1
  }

  #number(from: number, place: Place): number {
    const json = this.#json
    const whole = endOfWholePart(json, from)
    const fraction = endOfFraction(json, whole)
    const end = endOfExponent(json, fraction)
    const length = end - from
    if (end > fraction || length > MOST_DECIMAL) this.#note(place, TOKEN.wildNumber, COUNTER.number)
    else if (fraction > whole || length > MOST_WHOLE)
      this.#note(place, TOKEN.decimal, COUNTER.number)
    else this.#note(place, TOKEN.whole, COUNTER.number)
    return end
  }

  #word(at: number, place: Place): number {
    const end = endOfWord(this.#json, at)
    if (this.#json[at] === LETTER_N) this.#note(place, TOKEN.null, COUNTER.filled)
    else this.#note(place, TOKEN.boolean, COUNTER.boolean)
    return end
  }

  #items(from: number, place: Place): number {
    const json = this.#json
    this.#note(place, TOKEN.list, COUNTER.list)
    let at = this.#afterSpace(from)
    if (json[at] === END_OF_LIST) return at + 1
    const isList = place === this.#list
    const items = isList ? this.#places.record : this.#itemsOf(place)
    for (;;) {
      place.lines?.begin(this.#position, at - this.#secrets.bytes)
      at = isList ? this.#record(at) : this.#value(at, items)
      at = this.#afterSpace(at)
      if (json[at] === END_OF_LIST) return at + 1
      at = this.#afterToken(at, COMMA)
    }
  }

  #record(at: number): number {
    this.#position = this.#records++
    this.#isDoubtful = false
    this.#isTwice = false
    const [table] = this.#places.tables
    table!.begin(at - this.#secrets.bytes, 0)
    const end = this.#value(at, this.#places.record)
    table!.endRecord(end - this.#secrets.bytes)
    if (this.#isDoubtful) this.#doubtful.push(this.#position)
    if (this.#isTwice) this.#twice.push(this.#position)
    this.#position = -1
    return end
  }

  #object(from: number, place: Place): number {
    const json = this.#json
    this.#note(place, TOKEN.object, COUNTER.object)
    const object = this.#places.nextObject()
    let at = this.#afterSpace(from)
    if (json[at] === END_OF_OBJECT) return at + 1
    let before: Place | undefined
    let keptEnd = from
    for (;;) {
      if (json[at] !== QUOTE) throw NOT_JSON
      before = this.#field(at + 1, place, before, object)
      const isSecret = this.#isSecret
      const end = this.#fieldValue(this.#afterToken(this.#endOfKey + 1, COLON), before)
      at = this.#afterSpace(end)
      const isLast = json[at] === END_OF_OBJECT
      // Where nothing in front of it stays, the comma behind it goes.
      if (isSecret) this.#secrets.add(keptEnd, isLast || keptEnd > from ? end : at + 1)
      else keptEnd = end
      if (isLast) return at + 1
      at = this.#afterToken(at, COMMA)
    }
  }

  #fieldValue(at: number, field: Place): number {
    const { cells } = field
    if (cells === undefined) return this.#value(at, field)
    const start = at - this.#secrets.bytes
    const end = this.#value(at, field)
    if (this.#json[at] !== LETTER_N) cells.put(field.column, start, end - this.#secrets.bytes)
    return end
  }

  /** The place of a key: mostly the one that followed the same key in earlier records. */
  #field(from: number, place: Place, before: Place | undefined, object: number): Place {
    const json = this.#json
    let guess = before === undefined ? place.first : before.next
    for (let tries = 0; guess?.key !== undefined && tries < GUESSES; tries++) {
      const end = from + guess.key.letters.length
      if (json[end] === QUOTE && standsAt(this.#letters, from, guess.key)) {
        this.#endOfKey = end
        this.#visit(guess, guess.seenIn === object, object)
        return guess
      }
      guess = guess.next
    }
    const found = this.#find(from, place, object)
    if (before === undefined) place.first ??= found
    else before.next ??= found
    return found
  }

  #find(from: number, place: Place, object: number): Place {
    const end = (this.#endOfKey = endOfText(this.#json, from))
    const spelled = this.#json.subarray(from, end)
    const isPlain = !spelled.includes(BACKSLASH)
    const text = spelled.toString('utf8')
    const name = isPlain ? text : (JSON.parse(`"${text}"`) as string)
    // Only a parser can tell whether it is the same as another one.
    if (!isPlain) this.#isDoubtful = true
    const key = isPlain ? Buffer.from(spelled) : undefined
    const field = isTooDeep(place) ? this.#below() : this.#places.fieldOf(place, name, key)
    this.#visit(field, this.#isAgain(field, name, object), object)
    // A place that is shared tells nothing of its names.
    this.#isSecret = isSecretName(name)
    this.#makeRoom()
    return field
  }

  #visit(field: Place, isAgain: boolean, object: number): void {
    if (isAgain) {
      this.#isDoubtful = true
      this.#isTwice = true
      if (this.#position < 0 && field.depth === 1) this.#hasFieldTwice = true
    }
    this.#isSecret = field.isSecret
    field.seenIn = object
  }

  /** Whether the object had this name before; many names may share one place. */
  #isAgain(field: Place, name: string, object: number): boolean {
    if (field.key !== undefined) return field.seenIn === object
    const mark = `${object} ${name}`
    if (this.#sharedNames.has(mark)) return true
    this.#sharedNames.add(mark)
    return false
  }

  #itemsOf(place: Place): Place {
    const items = isTooDeep(place) ? this.#below() : this.#places.itemsOf(place)
    this.#makeRoom()
    return items
  }

  /** The place of all that lies too deep to be distinguished. */
  #below(): Place {
    this.#isDoubtful = true
    return this.#places.below
  }

  #note(place: Place, token: number, counter: number): void {
    const { slot } = place
    this.#counts[slot]!++
    if (this.#counts[slot + counter] === 0) this.#firsts[slot + counter] = this.#position
    if (counter !== COUNTER.filled) this.#counts[slot + counter]!++
    if ((place.fits & token) === 0) this.#isDoubtful = true
  }

  #makeRoom(): void {
    const needed = this.#places.counters()
    if (needed <= this.#counts.length) return
    this.#counts = grown(this.#counts, needed)
    this.#firsts = grown(this.#firsts, needed)
  }
}

/** The same counters, and further ones at 0. */
export function grown(counters: Int32Array, length: number): Int32Array {
  const larger = new Int32Array(length)
  larger.set(counters)
  return larger
}
