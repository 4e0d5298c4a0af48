import { constants } from 'node:os';
import { z } from 'zod';
import { TICKS_PER_SECOND } from '../../../../domain/fleet/gpus.ts';
import { isIsolated } from '../../../../domain/fault/is-isolated.ts';
import { type RunEnd, type RunRef, ConversationReplacedError } from '../../../compute.ts';

const Ended = z.object({
  reason: z.enum(['exit', 'wall', 'cpu', 'memory', 'processes', 'output', 'disk', 'killed', 'stopped', 'replaced']),
  code: z.number().int(),
  startedAt: z.string(),
  birth: z.number().optional(),
  wallCs: z.number(),
  user: z.string(),
  system: z.string(),
  maxRssKb: z.number(),
  ticks: z.number(),
  unreapedCs: z.number().default(0),
  waitCs: z.number().nullish(),
  containment: z.enum(['pid-namespace', 'cgroup', 'uid', 'process-group']),
  sandboxed: z.union([z.literal(0), z.literal(1)]),
  treeGone: z.boolean(),
  files: z.object({ allowed: z.number(), seen: z.number() }).optional(),
  closed: z.string().optional(),
});

// "1m2.345s", as the shell's `times` prints it.
function seconds(text: string): number {
  const match = /^(\d+)m([\d.]+)s$/.exec(text);
  if (!match) throw new Error(`ended.json: expected a time like 0m0.12s; got ${JSON.stringify(text)}`);
  return Number(match[1]) * 60 + Number(match[2]);
}

/** A signal that says nothing of a run: where it was sent for a file at its limit, the supervisor tells of the disk. */
const UNTOLD = 'SIGXFSZ';

function signalName(code: number): string | null {
  if (code <= 128) return null;
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined || name === UNTOLD ? null : name;
}

/**
 * What the supervisor wrote last, and the bytes of the run's output; undefined while there is no end, or where a full
 * disk cut its words.
 */
export function parseEnd(text: string | undefined, outputBytes: number): RunEnd | undefined {
  const parsed = Ended.safeParse(text === undefined ? undefined : tryJson(text));
  if (!parsed.success) return undefined;
  const ended = parsed.data;
  const signal = signalName(ended.code);
  return {
    reason: reasonOf(ended.reason),
    exitCode: signal === null ? ended.code : null,
    signal,
    wallSeconds: ended.wallCs / 100,
    // The shell's sum misses all that dies with its namespace, or that nobody waited for; the ticks miss all that dies between two looks.
    cpuSeconds: Math.max(seconds(ended.user) + seconds(ended.system) + ended.unreapedCs / 100, ended.ticks / 100),
    ...(typeof ended.waitCs === 'number' ? { waitSeconds: ended.waitCs / 100 } : {}),
    maxRssMb: ended.maxRssKb / 1024,
    outputBytes,
    startedAt: ended.startedAt,
    endedAt: new Date(Date.parse(ended.startedAt) + ended.wallCs * 10).toISOString(),
    ...(ended.birth === undefined ? {} : { upSeconds: ended.birth / TICKS_PER_SECOND }),
    containment: ended.containment,
    sandboxed: ended.sandboxed === 1,
    treeGone: ended.treeGone,
    ...(ended.files ? { files: ended.files } : {}),
    ...(ended.closed === undefined ? {} : { closed: ended.closed }),
    ...(ended.reason === 'stopped' ? { endedBy: 'stop' as const } : {}),
    ...(ended.reason === 'replaced' ? { endedBy: 'newer' as const } : {}),
  };
}

const reasonOf = (word: z.infer<typeof Ended>['reason']): RunEnd['reason'] =>
  word === 'stopped' || word === 'replaced' ? 'killed' : word;

/**
 * The end of a conversation; throws where it was replaced. Only what cannot have ended itself by that was ended by others:
 * without a sandbox, or a user of its own, a program may kill its supervisor, or tell it to end.
 */
export function conversationEnd(end: RunEnd, { host, run }: { host: string; run: RunRef }): RunEnd {
  if (end.endedBy === 'newer') throw new ConversationReplacedError(host, run);
  const byOthers = end.reason === 'killed' && end.endedBy === undefined && isIsolated(end);
  return byOthers ? { ...end, endedBy: 'others' } : end;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
