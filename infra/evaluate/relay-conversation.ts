import { once } from 'node:events';
import type { Conversation } from '../compute.ts';
import type { EvaluateSpec } from '../evaluate.ts';
import type { EvaluatorProcess } from './read-evaluator.ts';
import type { AwakeTimer } from './awake.ts';
import { reachableTimeout, type OutageAllowance } from './host-reachability.ts';
import { Silence } from './silence.ts';
import { Tail } from './tail.ts';

/** Characters of the answers that are kept for the log. */
const SEEN_CHARS = 8 * 1024;

/** A rule that the candidate broke. */
export interface RuleBreach {
  message: string;
  /** False if the host was unreachable for too much of the time to blame the candidate. */
  isFair: boolean;
}

/** The relay between an evaluator and a candidate's program. */
export interface Relay {
  /** Resolves to the first broken rule. */
  broken: Promise<RuleBreach>;
  /** Last part of the candidate's answers. */
  seen: Tail;
  /** True if the host had a long outage since the last question, answered or not. */
  hadOutage(): boolean;
  /** Fault of the candidate when the evaluator's time is over; undefined if the evaluator was not waiting for it. */
  overdue(): string | undefined;
  close(): void;
}

/** Relays the output of each side to the other, and checks the size of the candidate's answers and its silences. */
export function relayConversation(
  evaluator: EvaluatorProcess,
  conversation: Conversation,
  { limits, allowance }: { limits: EvaluateSpec['limits']; allowance: OutageAllowance },
): Relay {
  const seen = new Tail(SEEN_CHARS);
  let resolveBroken: (breach: RuleBreach) => void = () => undefined;
  const broken = new Promise<RuleBreach>((resolve) => (resolveBroken = resolve));
  const report = (message: string): void => resolveBroken({ message, isFair: true });
  let timer: AwakeTimer | undefined;
  let closed = false;
  // While the evaluator does not read, the candidate owes nothing; `asked` notes the questions of that time for later.
  let blocked = false;
  let asked = false;
  // Time of the last question that followed an answer, and whether the candidate has answered it.
  let askedAt = 0;
  let answered = true;
  const silence = new Silence(limits.roundSeconds, allowance);
  const stopClock = (): void => timer?.clear();
  // Starts the clock of an answer, or of the rest of a line, which the candidate owes.
  const expectAnswer = (): void => {
    stopClock();
    // The evaluator reads no more answers.
    if (evaluator.stdin.destroyed) {
      silence.listen(false);
      return;
    }
    if (blocked) {
      asked = true;
      return;
    }
    silence.owed();
    const message = `expected an answer within ${limits.roundSeconds} s; none came`;
    if (closed) return;
    const onDue = (isFair: boolean): void => resolveBroken({ message, isFair });
    timer = reachableTimeout(limits.roundSeconds * 1000, allowance, onDue);
  };

  const relayQuestions = async (): Promise<void> => {
    for await (const chunk of evaluator.stdout) {
      if (answered) {
        askedAt = performance.now();
        answered = false;
      }
      expectAnswer();
      try {
        await conversation.write(chunk as Uint8Array);
      } catch {
        // The candidate reads no more; the evaluator sees that by the end of the answers.
        evaluator.stdout.resume();
        return;
      }
    }
    conversation.end();
  };

  const relayAnswers = async (): Promise<void> => {
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
        stopClock();
        silence.heard();
      } else expectAnswer();
      if (evaluator.stdin.destroyed) return;
      if (evaluator.stdin.write(chunk)) continue;
      stopClock();
      blocked = true;
      asked = chunk.at(-1) !== NEWLINE;
      silence.listen(false);
      // If the evaluator never reads again, its end decides the result.
      await Promise.race([once(evaluator.stdin, 'drain').catch(() => undefined), evaluator.ended]);
      if (evaluator.stdin.destroyed) return;
      blocked = false;
      silence.listen(true);
      // Both clocks start again.
      if (asked) expectAnswer();
      else silence.heard();
    }
    stopClock();
    silence.listen(false);
    evaluator.stdin.end();
  };

  for (const side of [relayQuestions(), relayAnswers()])
    side.catch((error: unknown) => {
      // A pipe breaks when a side ends. After `close` that is expected: the exit of the evaluator has the result.
      if (!closed) report(`the conversation broke: ${String(error)}`);
    });
  return {
    broken,
    seen,
    hadOutage: () => allowance.reachability.lastLongOutageAt() >= askedAt,
    overdue: () => silence.overdue(),
    close: () => {
      closed = true;
      stopClock();
      silence.close();
    },
  };
}

const NEWLINE = 10;

/** Length in bytes of the unfinished line after a chunk, or of the first line over the limit. */
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
