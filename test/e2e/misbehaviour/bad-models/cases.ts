import { setCase } from '../../../support/e2e/cases.ts';
import { answerWith, type Behaviour } from '../../../support/scripted-endpoint.ts';

const PAGE = '<html><body>sign in to continue</body></html>';
const LONG = 400 * 1024;

/** An answer with one search/replace block. */
export const editOf = (path: string, search: string, replace: string): string =>
  `Hypothesis: ${replace}\n\n${path}\n\`\`\`\n` +
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n\`\`\`\n`;

/** A model's answer, the failure of its trial, and the part of the answer (or of the error) that is kept. */
export type Case = { name: string; answer: Behaviour; failure: string | null; message?: RegExp; kept: string | RegExp };

export const ANSWERS: Case[] = [
  { name: 'nothing', answer: answerWith(''), failure: 'unreadable-answer', message: /the answer is empty/, kept: /^$/ },
  {
    name: 'prose',
    answer: answerWith('Certainly! I would lower the learning rate.'),
    failure: 'unreadable-answer',
    message: /no edit was found/,
    kept: /lower the learning rate/,
  },
  {
    name: '400 KB of noise',
    answer: answerWith('x'.repeat(LONG)),
    failure: 'unreadable-answer',
    kept: 'x'.repeat(LONG),
  },
  {
    name: 'a refusal',
    answer: { kind: 'answer', text: null, refusal: 'I cannot help with that.' },
    failure: 'refusal',
    message: /I cannot help with that/,
    kept: /^$/,
  },
  {
    name: 'a filtered answer',
    answer: { kind: 'answer', text: null, finishReason: 'content_filter' },
    failure: 'refusal',
    message: /content filter/,
    kept: /^$/,
  },
  { name: 'a whole edit', answer: answerWith(setCase('first')), failure: null, kept: /CASE=first/ },
  {
    name: 'an edit of an immutable file',
    answer: answerWith(editOf('run.sh', '. ./knobs.env', 'echo 7 > out.txt')),
    failure: 'edit-outside-mutable',
    message: /expected edits of knobs.env only, got "run.sh"/,
    kept: /echo 7/,
  },
  {
    name: 'an edit of the evaluator',
    answer: answerWith(editOf('../evaluator/score.sh', 'x=1', 'x=7')),
    failure: 'edit-outside-mutable',
    message: /\.\.\/evaluator\/score\.sh/,
    kept: /x=7/,
  },
  {
    name: 'an edit of the machine',
    answer: answerWith('Hypothesis: root\n\n/etc/passwd\n```\nroot::0:0::/:/bin/sh\n```\n'),
    failure: 'edit-outside-mutable',
    message: /\/etc\/passwd/,
    kept: /root::0/,
  },
  {
    name: 'an edit of lines that are not there',
    answer: answerWith(editOf('knobs.env', 'CASE=begin', 'CASE=never')),
    failure: 'edit-does-not-apply',
    message: /matches 0 times/,
    kept: /CASE=begin/,
  },
  {
    name: 'an edit that changes nothing',
    answer: answerWith(editOf('knobs.env', 'CASE=start', 'CASE=start')),
    failure: 'no-change',
    kept: /CASE=start/,
  },
  {
    name: 'an edit that was cut off',
    answer: { kind: 'answer', text: setCase('cut').slice(0, 60), finishReason: 'length' },
    failure: 'unreadable-answer',
    message: /cut at llm.maxTokens/,
    kept: /Hypothesis: cut/,
  },
  {
    name: 'a whole edit, cut off behind it',
    answer: { kind: 'answer', text: `${setCase('behind')}\nknobs.env\n<<<<<<< SEARCH\nX=`, finishReason: 'MAX_TOKENS' },
    failure: 'unreadable-answer',
    message: /cut at llm.maxTokens/,
    kept: /CASE=behind/,
  },
  {
    name: 'an edit behind thoughts that the template opened',
    answer: answerWith(`First:\n${setCase('draft')}No, that is no case.\n</think>\n\n${setCase('thought')}`),
    failure: null,
    kept: /CASE=draft[^]*CASE=thought/,
  },
  {
    name: 'thoughts that never end',
    answer: answerWith(`<think>\n${setCase('endless')}`),
    failure: 'unreadable-answer',
    message: /the thoughts of the answer never end/,
    kept: /CASE=endless/,
  },
  {
    name: 'a unified diff with wrong counts',
    answer: answerWith(
      'Hypothesis: diff\n\n```\n--- a/knobs.env\n+++ b/knobs.env\n@@ -7,9 +7,9 @@\n' +
        '-CASE=start\n+CASE=diff\n X=1.5\n```\n',
    ),
    failure: null,
    kept: /CASE=diff/,
  },
  {
    name: 'a file of which the rest was left out',
    answer: answerWith(
      'Hypothesis: elided\n\nknobs.env\n```\nCASE=elided\n# ... rest of the file unchanged ...\n```\n',
    ),
    failure: 'edit-does-not-apply',
    message: /rest of the file unchanged \.\.\.", which stands for code that was left out/,
    kept: /CASE=elided/,
  },
  {
    name: 'parts, and a word for their end that Postgres cannot hold',
    answer: {
      kind: 'status',
      status: 200,
      body: {
        choices: [
          {
            finish_reason: 'st\0op',
            message: {
              content: [
                { type: 'thinking', thinking: [{ type: 'text', text: setCase('hidden') }] },
                { type: 'text', text: setCase('parts') },
              ],
            },
          },
        ],
      },
    },
    failure: null,
    kept: setCase('parts'),
  },
  {
    name: 'that the request is wrong',
    answer: { kind: 'status', status: 400, body: { error: { message: 'this cannot be answered' } } },
    failure: 'proposer-failed',
    message: /this cannot be answered/,
    kept: /this cannot be answered/,
  },
  {
    name: 'a whole edit in 400 KB of noise',
    answer: answerWith(`${'thinking about it.\n'.repeat(LONG / 19)}\n${setCase('last')}`),
    failure: null,
    kept: /CASE=last/,
  },
];

/** Failures of the endpoint that heal: the same trial goes on, and one answer is bought. */
export const HEALING: Record<string, Behaviour[]> = {
  'rate-limited': [{ kind: 'status', status: 429, body: 'slow down', headers: { 'retry-after': '1' } }],
  overloaded: [
    { kind: 'status', status: 500, body: 'boom' },
    { kind: 'status', status: 503, body: 'busy' },
  ],
  'no-completion': [
    { kind: 'status', status: 200, body: PAGE },
    { kind: 'status', status: 200, body: { choices: [] } },
  ],
  never: [{ kind: 'silent' }],
  'never-whole': [{ kind: 'trickle', everyMs: 50 }],
  reset: [{ kind: 'reset' }, { kind: 'cut' }],
};
