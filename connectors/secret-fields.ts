/**
 * Fields that hold credentials: they are dropped before anything of an answer is written, wherever
 * in a record they stand, and so are in no table, no `raw`, no version and no dead letter (INV-10).
 * The documentation has `pin` and `password` on employees and consumers, `secretKey` on card
 * readers, `deviceToken` on devices; the others are what such fields are called elsewhere.
 */
export const SECRET_FIELDS: readonly string[] = [
  'pin',
  'pinCode',
  'vehiclePin',
  'passcode',
  'password',
  'passwordHash',
  'passwd',
  'secret',
  'secretKey',
  'clientSecret',
  'privateKey',
  'apiKey',
  'accessToken',
  'authToken',
  'refreshToken',
  'deviceToken',
]
