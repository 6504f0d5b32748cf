import { csv } from './csv.ts'
import type { Format } from './format.ts'
import { jsonl } from './jsonl.ts'
import { parquet } from './parquet.ts'
import { xlsx } from './xlsx.ts'

/** Every format that a dataset can be written in; the surest to read back first. */
export const FORMATS = [parquet, csv, jsonl, xlsx] as const

export type FileFormat = (typeof FORMATS)[number]['name']
export const FILE_FORMATS: readonly FileFormat[] = FORMATS.map(({ name }) => name)

export const formatOf = (wanted: FileFormat): Format => FORMATS.find(({ name }) => name === wanted)!
