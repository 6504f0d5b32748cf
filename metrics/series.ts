import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * Every series that this program serves itself, each declared here alone. Labels are stores,
 * streams and words of fixed lists; never an id, a name or a path.
 */
export function createSeries() {
  const registry = new Registry()
  const make = makerOf(registry)
  return { page: () => registry.metrics(), ...ofReading(make), ...ofOthers(make) }
}

export type Series = ReturnType<typeof createSeries>

type Maker = ReturnType<typeof makerOf>

const makerOf = (registry: Registry) => ({
  gauge: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name: `tillage_${name}`, help, labelNames, registers: [registry] }),
  counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name: `tillage_${name}`, help, labelNames, registers: [registry] }),
  histogram: (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `tillage_${name}`, help, buckets, registers: [registry] }),
})

const ofReading = ({ gauge, counter }: Maker) => ({
  windows: counter('windows_total', 'Windows that were read', 'store', 'stream', 'outcome'),
  records: counter('records_total', 'Records that were read', 'store', 'stream', 'verdict'),
  watermarkLag: gauge(
    'watermark_lag_seconds',
    'How far before now the time ends up to which everything is proven',
    'store',
    'stream',
  ),
  unproven: gauge('unproven_windows', 'Windows that are not proven', 'store', 'stream'),
  deadLetters: gauge('dead_letters', 'Records that no table could take', 'store', 'stream'),
  hintSecondsBehind: gauge(
    'hint_seconds_behind',
    'How long the oldest event of the API waits for its read',
    'store',
    'stream',
  ),
  requests: counter('api_requests_total', 'Answers of the API, by status', 'status'),
  refused: counter('api_refused_total', 'Requests that came too fast for the API: 429 and 503'),
  requestsPerSecond: gauge('api_requests_per_second', 'Pace that a key is asked at', 'store'),
})

const ofOthers = ({ gauge, counter, histogram }: Maker) => ({
  secondsToDeadline: gauge(
    'night_seconds_to_deadline',
    'Until the books of the night that is due must be ready; below 0: they are late',
    'store',
  ),
  nights: counter('nights_total', 'Nights that are over', 'store', 'outcome'),
  openNotices: gauge('open_notices', 'What somebody must know', 'severity'),
  parked: gauge('parked_operations', 'Writes whose outcome nobody knows', 'kind'),
  exportSeconds: histogram(
    'export_seconds',
    'How long the files of a business day took',
    [0.1, 0.5, 1, 5, 15, 60, 300, 1800],
  ),
  databaseBytes: gauge('database_bytes', 'Size of the database, with its log'),
  freeBytes: gauge(
    'free_bytes',
    'Left on the disk that holds the database; with a label, what else',
    'holds',
  ),
  buildInfo: gauge('build_info', 'Always 1; the version is a label', 'version'),
})
