import { embeddedFolder } from './server/server-folder.ts'

/** Of a server of our own; it has no other. */
export const EMBEDDED_NAMESPACE = 'default'

export interface AddressSettings {
  readonly kind: 'address'
  readonly address: string
  readonly namespace: string
  readonly apiKey?: string
  /** Default: yes if there is an API key. */
  readonly tls?: boolean | TlsFiles
  readonly deployment?: ConfiguredDeployment
}

/** The name of all workers' releases together, and which one this is (default: our version). */
export interface ConfiguredDeployment {
  readonly name: string
  readonly buildId?: string | undefined
}

/** Absolute paths of files of PEM, and whom the server's certificate must be for. */
export interface TlsFiles {
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly ca?: string | undefined
  readonly serverName?: string | undefined
}

export type TemporalSettings =
  | { readonly kind: 'embedded'; readonly folder: string; readonly webUi?: boolean }
  | AddressSettings

/** As they stand in `tillage.yaml`. */
export interface ConfiguredTemporal {
  localFiles: string
  temporal:
    | 'embedded'
    | {
        address: string
        namespace: string
        apiKey?: string | undefined
        tls?: boolean | TlsFiles | undefined
        deployment?: ConfiguredDeployment | undefined
      }
}

export const temporalSettings = (
  { temporal, localFiles }: ConfiguredTemporal,
  webUi = false,
): TemporalSettings =>
  temporal === 'embedded'
    ? { kind: 'embedded', folder: embeddedFolder(localFiles), webUi }
    : { kind: 'address', ...withoutUndefined(temporal) }

function withoutUndefined<Shape extends object>(
  shape: Shape,
): { [Key in keyof Shape]: Exclude<Shape[Key], undefined> } {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Shape]: Exclude<Shape[Key], undefined>
  }
}
