/**
 * What a browser adds to pages that are whole without it: they are brought up to date when
 * something has changed, and calendars are walked through with arrows.
 */
export const CONSOLE_SCRIPT = `'use strict'
const parts = document.querySelector('[data-live]')
const say = text => { document.getElementById('changed').textContent = text }
const live = text => { document.getElementById('live').textContent = text }
const isBusy = () => document.activeElement !== null &&
  parts.contains(document.activeElement) &&
  document.activeElement.matches('input, select, textarea')
const hasInput = () => [...parts.querySelectorAll('form input, form textarea')]
  .some(one => one.type !== 'hidden' && one.value !== one.defaultValue) ||
  [...parts.querySelectorAll('form select')].some(({ options, selectedIndex }) =>
    selectedIndex !== Math.max(0, [...options].findIndex(one => one.defaultSelected)))
const notLive = () => live(' · not live since ' + new Date().toTimeString().slice(0, 5))
let stale = false

/** The whole page is asked for again: rights are checked in one place, and nothing comes twice. */
async function refresh() {
  if (isBusy() || hasInput()) { stale = true; return }
  stale = false
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined)
  // It is away, or whoever looked has signed out meanwhile.
  if (answer === undefined || !answer.ok || answer.redirected) { notLive(); return }
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
  // Somebody may have begun to type meanwhile.
  if (isBusy() || hasInput()) { stale = true; return }
  const fresh = next.querySelector('[data-live]')
  for (const name of ['h1', '.lead', '.as-of']) {
    const [before, after] = [document.querySelector(name), next.querySelector(name)]
    if (before && after) before.replaceChildren(...after.childNodes)
  }
  live(' · live')
  const signs = html => html.replace(/name="_action" value="[^"]*"/g, '')
  if (fresh === null || signs(fresh.innerHTML) === signs(parts.innerHTML)) return
  const at = [...parts.querySelectorAll('a, button, summary, [tabindex]')].indexOf(document.activeElement)
  const open = [...parts.querySelectorAll('details')].map(one => one.open)
  parts.replaceChildren(...fresh.childNodes)
  parts.querySelectorAll('details').forEach((one, index) => { one.open = open[index] ?? one.open })
  if (at >= 0) parts.querySelectorAll('a, button, summary, [tabindex]')[at]?.focus({ preventScroll: true })
  rove()
  say('The page has changed.')
}

/** Browsers allow six connections: a tab that nobody sees gives its own back. */
let events
function listen() {
  if (document.hidden) { events?.close(); events = undefined; return }
  if (events !== undefined) return
  events = new EventSource('/events')
  events.onopen = () => live(' · live')
  events.addEventListener('changed', () => void refresh())
  events.onerror = notLive
}

/** A calendar is one stop of the Tab key; arrows, Home and End go from day to day. */
function rove() {
  for (const table of document.querySelectorAll('table.calendar')) {
    const links = [...table.querySelectorAll('td a')]
    links.forEach((one, index) => { one.tabIndex = index === 0 ? 0 : -1 })
  }
}
function walk(event) {
  const cell = event.target.closest?.('table.calendar td')
  if (!cell) return
  const row = cell.parentElement
  const beside = [...row.cells].slice(1)
  const below = [...row.parentElement.rows].map(one => one.cells[cell.cellIndex])
  const before = cells => cells.slice(0, cells.indexOf(cell)).reverse()
  const after = cells => cells.slice(cells.indexOf(cell) + 1)
  const way = { ArrowLeft: before(beside), ArrowRight: after(beside), Home: beside,
    ArrowUp: before(below), ArrowDown: after(below), End: beside.toReversed() }[event.key]
  const link = way?.map(one => one.querySelector('a')).find(one => one !== null)
  if (!link) return
  event.preventDefault()
  for (const one of cell.closest('table').querySelectorAll('td a')) one.tabIndex = -1
  link.tabIndex = 0
  link.focus()
}

if (parts !== null) {
  listen()
  rove()
  document.addEventListener('visibilitychange', () => { listen(); if (!document.hidden) void refresh() })
  document.addEventListener('keydown', walk)
  document.addEventListener('focusout', () => { if (stale) void refresh() })
}
`
