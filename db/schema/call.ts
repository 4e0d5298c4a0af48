import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  pgView,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { CallRole, Protocol } from '../../domain/gateway/call.ts';
import type { PartSize } from '../../domain/search/context/build-messages.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import { at, bytea, changedXid } from './columns.ts';

/** Requests to a model: the row is written before the request, the answer after it. */
export const calls = pgTable(
  'calls',
  {
    trialId: text('trial_id').notNull(),
    /** Turn of the trial's conversation: 0, 1, … */
    turn: integer().notNull(),
    /** Caller. Calls of an evaluator count for the trial, and no prompt and no page shows their text. */
    role: text().$type<CallRole>().notNull().default('proposer'),
    /** Number of the scoring in its trial that made an evaluator's call, from 1; null for proposers. */
    scoring: integer(),
    /** Protocol of a call through the gateway; null for the proposers of Perpetua. */
    protocol: text().$type<Protocol>(),
    model: text().notNull(),
    /** Null for a call through the gateway, whose bodies are parts, and for a call whose bodies were removed. */
    request: jsonb(),
    /** Part that holds the request; null for the proposers of Perpetua. */
    requestPart: integer('request_part'),
    /** Tokens of each part of the prompt, in its order; null for a call through the gateway, or of an older version. */
    promptSizes: jsonb('prompt_sizes').$type<PartSize[]>(),
    answer: text(),
    /** Finish reason, refusal. */
    outcome: jsonb(),
    error: text(),
    /** HTTP status of the endpoint's last answer; null: none came, or a proposer of Perpetua made the call. */
    status: integer(),
    /** True if the answer broke off before its end. */
    cut: boolean().notNull().default(false),
    tokensIn: integer('tokens_in'),
    tokensOut: integer('tokens_out'),
    /** Part of `tokens_in` that the endpoint had cached, and part of `tokens_out` that was reasoning. */
    tokensCached: integer('tokens_cached'),
    tokensReasoning: integer('tokens_reasoning'),
    /** True if tokens of a call through the gateway were estimated. */
    estimated: boolean().notNull().default(false),
    usd: doublePrecision(),
    latencySeconds: doublePrecision('latency_seconds'),
    /** Requests whose answer was never stored or broke off, and that were sent again. */
    repeated: integer().notNull().default(0),
    /** Requests that ended in an error; `limited`: those of them that the endpoint refused as too many (429). */
    failed: integer().notNull().default(0),
    limited: integer().notNull().default(0),
    /** Reason why the answer was not used: a failure label, or `duplicate`; null if it was used or not yet read. */
    unused: text().$type<FailureLabel | 'duplicate'>(),
    sentAt: at('sent_at').notNull().defaultNow(),
    /** Workflow run, and activity attempt in it, that sent the request last; null for a call through the gateway. */
    workflowRun: text('workflow_run'),
    attempt: integer(),
    answeredAt: at('answered_at'),
    /** Time at which request and answer were removed, because they were old. */
    removedAt: at('removed_at'),
    changedXid: changedXid(),
  },
  (t) => [
    primaryKey({ columns: [t.trialId, t.turn] }),
    // Serves spend by hour: the calls of a time range.
    index('calls_sent').on(t.sentAt),
    // Serves the removal of old bodies.
    index('calls_kept')
      .on(t.sentAt)
      .where(sql`${t.removedAt} is null`),
    // Serves readers that keep sums: the calls that changed since their last read.
    index('calls_changed').on(t.changedXid),
  ],
);

/**
 * Bodies of calls through the gateway, compressed with Brotli. A value that several requests of a trial have, such as a
 * message, is one part.
 */
export const callParts = pgTable(
  'call_parts',
  {
    trialId: text('trial_id').notNull(),
    role: text().$type<CallRole>().notNull(),
    /** From 0: a request, or a value of requests. Below 0: the answer of turn −1 − n. */
    n: integer().notNull(),
    /** SHA-256 of the text, in base64url; null for an answer. */
    hash: text(),
    body: bytea().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.trialId, t.role, t.n] }),
    uniqueIndex('call_parts_hash')
      .on(t.trialId, t.role, t.hash)
      .where(sql`${t.hash} is not null`),
  ],
);

/** Parts of calls of proposers. A role that may read this view, and not the table, sees no evaluator's prompt. */
export const proposerCallParts = pgView('proposer_call_parts', {
  trialId: text('trial_id').notNull(),
  n: integer().notNull(),
  body: bytea().notNull(),
})
  .with({ securityBarrier: true })
  .as(sql`select trial_id, n, body from call_parts where role = 'proposer'`);
