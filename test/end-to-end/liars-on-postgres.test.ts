import { liarsOn } from './liars.ts'

liarsOn('PostgreSQL')
