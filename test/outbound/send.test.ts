import { sized } from '../helpers/size.ts'
import { sendingOn } from './send.ts'

sendingOn('SQLite', sized(150, 10_000))
