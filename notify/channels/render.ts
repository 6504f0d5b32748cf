import type { Message } from './message.ts'

type Document = Message['document']

/** The whole of a notice as a text for people. */
export const asText = ({ text, next, since, at, link, id }: Document): string =>
  [
    text,
    '',
    ...(next.length === 0 ? [] : ['What to do:', ...next.map(asStep), '']),
    `Since ${since}, told ${at}.`,
    ...(link === undefined ? [] : [`What it means: ${link}`]),
    `Notice ${id}`,
  ].join('\n')

const asStep = ({ does, command }: Document['next'][number]): string => `- ${command}   (${does})`

/** Slack reads three characters as marks of its own, and links and mentions begin with one. */
const forSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const asSlack = (document: Document): object => ({
  text: `*${forSlack(markOf(document))} ${forSlack(document.title)}*\n${forSlack(asText(document))}`,
})

/** An adaptive card, as workflows of Teams take it. */
export const asTeams = (document: Document): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          {
            type: 'TextBlock',
            size: 'Medium',
            weight: 'Bolder',
            wrap: true,
            text: `${markOf(document)} ${document.title}`,
          },
          { type: 'TextBlock', wrap: true, text: asText(document).replaceAll('\n', '\n\n') },
        ],
      },
    },
  ],
})

/** Of the subject of a mail too. */
export const markOf = ({ severity, state }: Document): string =>
  state === 'closed' ? '[over]' : `[${severity}${state === 'opened' ? '' : `, ${state}`}]`
