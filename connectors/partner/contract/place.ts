import { double, text } from './fields.ts'

/** A place, as the drivers' and regions' searches document it. */
export const place = { ...double('lat', 'long'), ...text('zipCode') }
