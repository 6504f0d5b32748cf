import { describe, expect, test } from 'vitest'
import { faultOfAddress, isServerAddress, placeOf } from '../../connectors/server-address.ts'

describe('the address of a database', () => {
  test.each([
    './tillage-data/tillage.db',
    'C:\\data\\tillage.db',
    'postgres://me:sesame@localhost/books',
    'postgresql://me@127.0.0.1:5432/books?schema=tillage',
    'postgres://me@[::1]/books',
    'postgres://me@db.example/books?sslmode=require',
    'postgres://me@db.example/books?sslmode=verify-full&schema=tillage',
    'postgres://me@db.example/books?allowInsecure=true',
  ])('is taken: %s', address => {
    expect(faultOfAddress(address)).toBeUndefined()
  })

  test.each([
    ['mysql://db.example/books', 'must be a path'],
    ['postgres://me@localhost', 'lacks the host or the name'],
    ['postgres:///books', 'lacks the host or the name'],
    ['postgres://me:a@b:c/d@localhost/books', 'lacks the host or the name'],
    ['postgres://me@localhost/books?schema=Two Words', 'no plain name'],
    ['postgres://me@localhost/books?schema=a,b', 'no plain name'],
    ['postgres://me@db.example/books', 'without TLS'],
    ['postgres://me@db.example/books?sslmode=prefer', 'without TLS'],
    ['postgres://me@db.example/books?sslmode=disable', 'without TLS'],
    ['postgres://me@127.0.0.1.db.example/books', 'without TLS'],
  ])('is refused: %s', (address, why) => {
    expect(faultOfAddress(address)).toContain(why)
  })

  test('is shown without who signs in, and a path as it is', () => {
    const address = 'postgres://me:sesame@db.example:5433/books?sslmode=require&schema=tillage'
    expect(placeOf(address)).toBe('postgres://db.example:5433/books?schema=tillage')
    expect(placeOf('/data/tillage.db')).toBe('/data/tillage.db')
    expect([address, '/data/tillage.db'].map(isServerAddress)).toEqual([true, false])
  })
})
