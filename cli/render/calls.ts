import type { CallRow } from '../../db/reads/read-trial.ts';
import { formatCount, formatSeconds, formatUsd } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import { oneLine, sanitize } from '../../domain/text/sanitize.ts';
import { describeMarks, readConversation, type ReadCall } from '../../view/trial/conversation.ts';
import { turnText } from '../../view/trial/turn-text.ts';

/** Characters of a text that are printed without `--full`. */
const MOST = 3000;

/** `perpetua calls` for people. */
export function renderCalls(trialId: string, { calls, full }: { calls: readonly CallRow[]; full: boolean }): string[] {
  if (calls.length === 0) return [`no model was called for ${trialId}`];
  const most = full ? Infinity : MOST;
  return [describeTotals(trialId, calls), ...readConversation(calls).flatMap((read) => ['', ...callLines(read, most)])];
}

function describeTotals(trialId: string, calls: readonly CallRow[]): string {
  const sum = (valueOf: (call: CallRow) => number | null): number =>
    calls.reduce((all, call) => all + (valueOf(call) ?? 0), 0);
  const usd = sum((call) => call.usd);
  const tokens = sum(({ tokensIn, tokensOut }) => (tokensIn ?? 0) + (tokensOut ?? 0));
  const parts = [trialId, plural(calls.length, 'call'), `${formatCount(tokens)} tokens`];
  return [...parts, ...(usd > 0 ? [formatUsd(usd)] : [])].join(' · ');
}

function callLines({ call, bodies, before, messages, answer }: ReadCall<CallRow>, most: number): string[] {
  const lines = [describeCall(call)];
  if (bodies === 'removed') return [...lines, '  (request and answer were removed: older than PERPETUA_CALL_DAYS)'];
  if (bodies === 'withheld')
    return [...lines, '  (asked by the evaluator: its texts are shown by npx perpetua calls TRIAL --evaluator)'];
  if (before > 0) lines.push(`  (${plural(before, 'message')} of earlier calls)`);
  for (const turn of messages) lines.push(`[${oneLine(turn.role)}]`, ...block(turnText(turn), most));
  if (answer) lines.push('[answer]', ...block(turnText(answer), most));
  if (call.error !== null) lines.push('[error]', ...block(call.error, most));
  else if (!answer) lines.push('  (no answer yet)');
  return lines;
}

function describeCall(call: CallRow): string {
  const { turn, role, model, tokensIn, tokensOut, tokensCached, tokensReasoning, usd, latencySeconds } = call;
  const share = (tokens: number | null, name: string): string => (tokens ? ` (${formatCount(tokens)} ${name})` : '');
  const countOf = (tokens: number | null): string => (tokens === null ? '?' : formatCount(tokens));
  const parts = [
    `call ${turn}`,
    ...(role === 'evaluator' ? [scoringText(call)] : []),
    oneLine(model),
    `${countOf(tokensIn)} tokens in${share(tokensCached, 'cached')}`,
    `${countOf(tokensOut)} out${share(tokensReasoning, 'reasoning')}`,
  ];
  if (usd !== null) parts.push(formatUsd(usd));
  if (latencySeconds !== null) parts.push(formatSeconds(latencySeconds));
  return [...parts, ...describeMarks(call)].join(' · ');
}

/** The caller of an evaluator's call. A trial is scored again after the death of a worker, or of an endpoint. */
const scoringText = ({ scoring }: CallRow): string =>
  scoring === null || scoring === 1 ? 'evaluator' : `evaluator, scoring ${scoring}`;

function block(text: string, most: number): string[] {
  const shown = text.length > most ? text.slice(0, most) : text;
  const more = text.length - shown.length;
  const lines = sanitize(shown).trimEnd().split('\n');
  return [...lines, ...(more > 0 ? [`… (${more} characters more; --full shows them)`] : [])].map((line) => `  ${line}`);
}

/** Identity, end and cost of a call, in both JSON forms. */
export const callJson = (call: CallRow) => ({
  turn: call.turn,
  role: call.role,
  scoring: call.scoring,
  protocol: call.protocol,
  model: call.model,
  error: call.error,
  status: call.status,
  cut: call.cut,
  tokensIn: call.tokensIn,
  tokensOut: call.tokensOut,
  tokensCached: call.tokensCached,
  tokensReasoning: call.tokensReasoning,
  estimated: call.estimated,
  usd: call.usd,
  latencySeconds: call.latencySeconds,
  repeated: call.repeated,
  failed: call.failed,
});

/** `perpetua calls --json`: each call with its new messages. `show --json` has requests as they were sent. */
export const callsJson = (trialId: string, calls: readonly CallRow[]) => ({
  trialId,
  calls: readConversation(calls).map(({ call, bodies, before, messages, answer, tools }) => ({
    ...callJson(call),
    bodies,
    before,
    messages,
    answer,
    tools,
    sentAt: call.sentAt.toISOString(),
    answeredAt: call.answeredAt?.toISOString() ?? null,
  })),
});
