import { liarsOn } from './liars.ts'

liarsOn('SQLite')
