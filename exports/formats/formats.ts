import { csv } from './csv.ts'
import type { Format } from './format.ts'
import { jsonl } from './jsonl.ts'
import { parquet } from './parquet.ts'
import { xlsx } from './xlsx.ts'

/** Every format that a dataset can be written in; the surest to read back first. */
export const FORMATS = [parquet, csv, jsonl, xlsx] as const

export type FormatName = (typeof FORMATS)[number]['name']
export const FORMAT_NAMES: readonly FormatName[] = FORMATS.map(({ name }) => name)

export const formatOf = (wanted: FormatName): Format => FORMATS.find(({ name }) => name === wanted)!
