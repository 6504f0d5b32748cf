/**
 * Characters that a terminal acts on, besides line feed and tab, or that nobody sees: controls of
 * both sets, those that turn the direction of writing, and those without a shape, by which two ids
 * could look like one.
 */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The same, and those that could make one text look like several. */
const UNSEEN_OR_BREAK = new RegExp(`${UNSEEN.source}|[\\n\\t]`, 'gu')

/** As JSON would write them, so that a document under `--json` stays one. */
const escape = (character: string): string =>
  [...Array(character.length).keys()]
    .map(index => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')

/** What may go to a terminal, of whoever its words are. */
export const printable = (text: string): string => text.replaceAll(UNSEEN, escape)

/** A text of the API or of a person, as a part of a line: it cannot begin another one. */
export const oneLine = (text: string): string => text.replaceAll(UNSEEN_OR_BREAK, escape)
