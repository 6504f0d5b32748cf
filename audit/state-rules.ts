/**
 * A rule with the day from which it holds and where it stands: rules change, and an audit is judged
 * by those of its day.
 */
export interface Rule {
  from: string
  source: string
}

/** From how many percent of a month's sales a difference is significant, of so many months. */
export interface PercentRule extends Rule {
  percent: number
  months: number
}

export interface Citation extends Rule {
  says: string
}

/** What the rules of the states that a store lies in ask for. */
export interface Rules {
  significantPercent: readonly PercentRule[]
  citations: readonly Citation[]
  /** Where it is written how soon the authorities are told; empty: nobody has said so. */
  noticeSource: string
  reportSource: string
}

const NOTHING: Rules = { significantPercent: [], citations: [], noticeSource: '', reportSource: '' }

const since2021 = (source: string, says: string): Citation => ({ from: '2021-01-01', source, says })

/**
 * As read in 2026; other states, and later texts, are configuration. California's does not say
 * whether sales count at cost or at retail: reports show both.
 */
const STATE_RULES = {
  CA: {
    ...NOTHING,
    significantPercent: [{ from: '2021-01-01', source: '4 CCR 15034', percent: 3, months: 6 }],
    citations: [
      since2021('4 CCR 15051', 'reconcile at least every 30 days'),
      since2021('4 CCR 15424', 'result of each audit is kept'),
      since2021('4 CCR 15036', 'significant discrepancy: 24 hours'),
      since2021('4 CCR 15423', 'inventory documentation'),
      since2021('4 CCR 15037', 'records are kept for 7 years'),
    ],
    noticeSource: '4 CCR 15036',
  },
  IL: {
    ...NOTHING,
    citations: [
      since2021('410 ILCS 705/15-75', 'each day: beginning, acquisitions, sales, disposal, ending'),
    ],
  },
  ND: {
    ...NOTHING,
    citations: [since2021('N.D.A.C. 33-44-01-20', 'two people count, one of them independent')],
  },
  AB: {
    ...NOTHING,
    citations: [since2021('Alberta retail handbook 4.9', 'full count by lot each month')],
    reportSource: 'Alberta retail handbook 4.9',
  },
} as const satisfies Record<string, Rules>

export type State = keyof typeof STATE_RULES
export const STATES = Object.keys(STATE_RULES) as State[]

/** Numbers of licences that only one state gives out. California: retail, distribution, micro. */
const LICENCES: readonly { state: State; pattern: RegExp }[] = [
  { state: 'CA', pattern: /^C\d{1,2}-\d{7}-LIC$/i },
]

/** Whose rules hold for a store: those that are configured, else of whom its licence is. */
export const statesOf = (
  configured: readonly State[] | undefined,
  licence: string | undefined,
): readonly State[] =>
  configured ??
  LICENCES.filter(({ pattern }) => pattern.test(licence?.trim() ?? '')).map(({ state }) => state)

/** The rules of some states together; of none there are none. */
export function rulesOfStates(states: readonly State[]): Rules {
  const rules = states.map((state): Rules => STATE_RULES[state])
  const firstOf = (name: 'noticeSource' | 'reportSource'): string =>
    rules.map(one => one[name]).find(source => source !== '') ?? ''
  return {
    significantPercent: rules.flatMap(one => one.significantPercent),
    citations: rules.flatMap(one => one.citations),
    noticeSource: firstOf('noticeSource'),
    reportSource: firstOf('reportSource'),
  }
}
