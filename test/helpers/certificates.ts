import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** A certificate and its private key, as paths of PEM files. */
export interface CertificateFiles {
  cert: string
  key: string
}

/** Who signs certificates: by itself for its own, and for others afterwards. */
export interface Authority extends CertificateFiles {
  sign(name: string): CertificateFiles
}

/** Makes certificates in a folder; those that it signs are for the name they are given. */
export function makeAuthority(folder: string, name: string): Authority {
  const make = (subject: string, signed: readonly string[] = []): CertificateFiles => {
    const [cert, key] = [join(folder, `${subject}.pem`), join(folder, `${subject}.key.pem`)]
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const files = ['-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${subject}`]
    execFileSync('openssl', ['req', '-x509', ...made, ...files, ...signed], { stdio: 'pipe' })
    return { cert, key }
  }
  const own = make(name)
  return {
    ...own,
    sign: subject =>
      make(subject, [
        '-CA',
        own.cert,
        '-CAkey',
        own.key,
        '-addext',
        `subjectAltName=DNS:${subject}`,
        '-addext',
        'basicConstraints=critical,CA:FALSE',
      ]),
  }
}
