import { sized } from '../helpers/size.ts'
import { sendingOn } from './send.ts'

sendingOn('PostgreSQL', sized(30, 2_000))
