import { once } from 'node:events';
import type { Conversation } from '../compute.ts';
import type { EvaluateSpec } from '../evaluate.ts';
import type { EvaluatorProcess } from './start-evaluator.ts';
import type { AwakeTimer } from './awake.ts';
import { reachableTimeout, type OutageAllowance } from './host-reachability.ts';
import { Silence } from './silence.ts';
import { Tail } from './tail.ts';

const SEEN_CHARS = 8 * 1024;

/** How the candidate broke a rule. */
export interface RuleBreach {
  message: string;
  /** False where the host was away for too much of its time for anybody to say. */
  isFair: boolean;
}

/** The crossing of an evaluator and a candidate: what was seen, and how the candidate broke the rules. */
export interface Relay {
  /** Resolves to the first broken rule. */
  broken: Promise<RuleBreach>;
  /** What the candidate said last. */
  seen: Tail;
  /** Whether the host was away for long since the candidate was asked what it has not answered, or has answered last. */
  hadOutage(): boolean;
  /** Why the candidate is at fault when the evaluator's time is over; undefined where it was not awaited. */
  overdue(): string | undefined;
  close(): void;
}

/** Passes each side's words to the other, and watches the size and the silence of the candidate's answers. */
export function relayConversation(
  evaluator: EvaluatorProcess,
  conversation: Conversation,
  { limits, allowance }: { limits: EvaluateSpec['limits']; allowance: OutageAllowance },
): Relay {
  const seen = new Tail(SEEN_CHARS);
  let tell: (broken: RuleBreach) => void = () => undefined;
  const broken = new Promise<RuleBreach>((resolve) => (tell = resolve));
  const report = (message: string): void => tell({ message, isFair: true });
  let timer: AwakeTimer | undefined;
  let closed = false;
  // While answers wait for their reader nothing counts as owed; what was asked meanwhile does afterwards.
  let blocked = false;
  let asked = false;
  let [askedAt, answered] = [0, true];
  const silence = new Silence(limits.roundSeconds, allowance);
  const quiet = (): void => timer?.clear();
  // This clock runs only while the candidate surely owes something: an answer, or the rest of a line.
  const owes = (): void => {
    quiet();
    // Nobody would read it.
    if (evaluator.stdin.destroyed) return silence.listen(false);
    if (blocked) {
      asked = true;
      return;
    }
    silence.owed();
    const message = `expected an answer within ${limits.roundSeconds} s; none came`;
    if (!closed) timer = reachableTimeout(limits.roundSeconds * 1000, allowance, (isFair) => tell({ message, isFair }));
  };

  const ask = async (): Promise<void> => {
    for await (const chunk of evaluator.stdout) {
      if (answered) [askedAt, answered] = [performance.now(), false];
      owes();
      try {
        await conversation.write(chunk as Uint8Array);
      } catch {
        // The candidate reads no more; the evaluator learns it from the end of its answers.
        evaluator.stdout.resume();
        return;
      }
    }
    conversation.end();
  };

  const answer = async (): Promise<void> => {
    let line = 0;
    let total = 0;
    for await (const chunk of conversation.output) {
      seen.add(Buffer.from(chunk).toString('utf8'));
      total += chunk.length;
      line = longestLine(chunk, line, limits.lineBytes);
      if (line > limits.lineBytes)
        return report(`expected lines of at most ${limits.lineBytes} bytes; got a longer one`);
      if (total > limits.totalBytes) return report(`expected at most ${limits.totalBytes} bytes of answers; got more`);
      if (chunk.at(-1) === NEWLINE) {
        answered = true;
        quiet();
        silence.heard();
      } else owes();
      if (evaluator.stdin.destroyed) return;
      if (evaluator.stdin.write(chunk)) continue;
      quiet();
      [blocked, asked] = [true, chunk.at(-1) !== NEWLINE];
      silence.listen(false);
      // Where it reads no more, the end of the evaluator tells what it made of it.
      await Promise.race([once(evaluator.stdin, 'drain').catch(() => undefined), evaluator.ended]);
      if (evaluator.stdin.destroyed) return;
      blocked = false;
      silence.listen(true);
      // Both clocks run from here on.
      if (asked) owes();
      else silence.heard();
    }
    quiet();
    silence.listen(false);
    evaluator.stdin.end();
  };

  for (const side of [ask(), answer()])
    side.catch((error: unknown) => {
      // Pipes break when a side ends; anything the evaluator makes of it shows in how it ends.
      if (!closed) report(`the conversation broke: ${String(error)}`);
    });
  return {
    broken,
    seen,
    hadOutage: () => allowance.reachability.lastLongOutageAt() >= askedAt,
    overdue: () => silence.overdue(),
    close: () => {
      closed = true;
      quiet();
      silence.close();
    },
  };
}

const NEWLINE = 10;

/** Length of the line under way after a chunk, or of the first line over the limit. */
function longestLine(chunk: Uint8Array, before: number, limit: number): number {
  let line = before;
  let start = 0;
  for (;;) {
    const end = chunk.indexOf(NEWLINE, start);
    line += (end === -1 ? chunk.length : end) - start;
    if (end === -1 || line > limit) return line;
    line = 0;
    start = end + 1;
  }
}
