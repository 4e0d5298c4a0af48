import { z } from 'zod';
import { SINK_NAME } from './sink-name.ts';

/** Kinds of sinks. */
export const SINK_TYPES = ['webhook', 'slack', 'discord', 'email', 'command', 'file'] as const;
export type SinkType = (typeof SINK_TYPES)[number];

const plain = (what: string) => z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u, what);
const word = plain('a text without control characters').min(1).max(1000);
/** Text that names a secret. `problems.ts` checks its form, since messages of the schema would show the secret. */
const secret = z.string();
const address = z.string().regex(/^[^\s\p{C}<>,;:"()[\]\\@]{1,200}@[^\s\p{C}<>,;:"()[\]\\@]{1,250}$/u, 'an address');

/** True for the name of a time zone that this program knows. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const common = {
  name: z
    .string()
    .regex(SINK_NAME, 'a name of letters, digits, dot, dash and underscore (at most 63)')
    .describe('names the sink in commands, and in start --notify'),
  send: z
    .array(z.enum(['now', 'soon', 'digest']))
    .min(1)
    .default(['now', 'soon', 'digest'])
    .describe('now: what needs you, and its end; soon: claims and ends of researches; digest: a daily report'),
  soonMinutes: z
    .number()
    .min(0)
    .max(1440)
    .default(10)
    .describe('minutes for which claims and ends are collected into one message'),
  digestAt: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 08:00')
    .default('08:00')
    .describe('time of the daily report'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'a time zone such as Europe/Berlin or UTC')
    .default('UTC')
    .describe('time zone of digestAt'),
};
const allowPrivate = z
  .boolean()
  .default(false)
  .describe('true: the address may be private, of this machine, or link-local');

const Webhook = z.strictObject({
  type: z.literal('webhook'),
  ...common,
  url: secret.describe('URL that gets each message as JSON by POST; $NAME or file:/path if it contains a secret'),
  key: secret.describe('$NAME or file:/path of the key that signs the messages (HMAC-SHA-256)'),
  allowPrivate,
});
const Slack = z.strictObject({
  type: z.literal('slack'),
  ...common,
  url: secret.describe('$NAME or file:/path of the URL of the incoming webhook'),
  allowPrivate,
});
const Discord = z.strictObject({
  type: z.literal('discord'),
  ...common,
  url: secret.describe('$NAME or file:/path of the URL of the webhook'),
  allowPrivate,
});
const Email = z.strictObject({
  type: z.literal('email'),
  ...common,
  host: plain('a host name')
    .regex(/^[^\s/@]+$/, 'a host name')
    .max(253)
    .describe('SMTP server'),
  port: z.number().int().min(1).max(65535).default(587).describe('port of the SMTP server'),
  security: z
    .enum(['starttls', 'tls', 'none'])
    .default('starttls')
    .describe('encryption of the connection; none: a relay on this machine'),
  user: word.optional().describe('user name; default: no login'),
  password: secret.optional().describe('$NAME or file:/path of the password'),
  from: address.describe('sender'),
  to: z.array(address).min(1).max(20).describe('receivers'),
});
const Command = z.strictObject({
  type: z.literal('command'),
  ...common,
  argv: z
    .array(plain('a text without control characters').max(4096))
    .min(1)
    .max(100)
    .describe('program and arguments; no shell reads them. The program gets the message as JSON on stdin'),
  seconds: z.number().min(1).max(60).default(30).describe('seconds after which the program is killed'),
});
const File = z.strictObject({
  type: z.literal('file'),
  ...common,
  path: plain('a text without control characters')
    .regex(/^\//, 'an absolute path on the machine of the worker')
    .max(4096)
    .describe('file that gets a line of JSON for each message; only its owner may read it'),
});

/** A sink of messages. */
export const Sink = z.discriminatedUnion('type', [Webhook, Slack, Discord, Email, Command, File]);
export type Sink = z.infer<typeof Sink>;
export type SinkOf<Type extends SinkType> = Extract<Sink, { type: Type }>;

/** Content of a notify.yaml. */
export const Notify = z.strictObject({
  sinks: z.array(Sink).max(50).describe('sinks of messages; an empty list removes the last ones'),
});
export type Notify = z.infer<typeof Notify>;
