import { constants } from 'node:os';
import { z } from 'zod';
import { TICKS_PER_SECOND } from '../../../../domain/fleet/gpus.ts';
import { isIsolated } from '../../../../domain/fault/is-isolated.ts';
import { type RunEnd, type RunRef, ConversationReplacedError, GROUPED } from '../../../compute.ts';

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
  mostCs: z.number().nullish(),
  load: z.number().nullish(),
  cores: z.number().optional(),
  containment: z.enum(['pid-namespace', 'cgroup', 'uid', 'process-group']),
  sandboxed: z.union([z.literal(0), z.literal(1)]),
  treeGone: z.boolean(),
  loopback: z.union([z.literal(0), z.literal(1)]).optional(),
  groups: z.string().optional(),
  files: z.object({ allowed: z.number(), seen: z.number() }).optional(),
  closed: z.string().optional(),
  backstop: z.boolean().optional(),
});

// Parses a time such as "1m2.345s", as the shell's `times` prints it.
function seconds(text: string): number {
  const match = /^(\d+)m([\d.]+)s$/.exec(text);
  if (!match) throw new Error(`ended.json: expected a time like 0m0.12s; got ${JSON.stringify(text)}`);
  return Number(match[1]) * 60 + Number(match[2]);
}

/** Signal that is not reported. If a file at its size limit caused it, the supervisor reports `disk` instead. */
const UNREPORTED = 'SIGXFSZ';

function signalName(code: number): string | null {
  if (code <= 128) return null;
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined || name === UNREPORTED ? null : name;
}

/**
 * Parses ended.json; `outputBytes` is the size of the run's output. Returns undefined if there is no end, or if a full
 * disk truncated it.
 */
export function parseEnd(text: string | undefined, outputBytes: number): RunEnd | undefined {
  const parsed = Ended.safeParse(text === undefined ? undefined : tryJson(text));
  if (!parsed.success) return undefined;
  const ended = parsed.data;
  const signal = signalName(ended.code);
  const end: RunEnd = {
    reason: reasonOf(ended.reason),
    exitCode: signal === null ? ended.code : null,
    signal,
    wallSeconds: ended.wallCs / 100,
    cpuSeconds: cpuSecondsOf(ended),
    maxRssMb: ended.maxRssKb / 1024,
    outputBytes,
    startedAt: ended.startedAt,
    endedAt: new Date(Date.parse(ended.startedAt) + ended.wallCs * 10).toISOString(),
    containment: ended.containment,
    sandboxed: ended.sandboxed === 1,
    treeGone: ended.treeGone,
  };
  if (typeof ended.waitCs === 'number') end.waitSeconds = ended.waitCs / 100;
  if (typeof ended.load === 'number' && ended.cores) end.load = { average: ended.load, cores: ended.cores };
  if (ended.birth !== undefined) end.upSeconds = ended.birth / TICKS_PER_SECOND;
  if (ended.loopback !== undefined) end.loopback = ended.loopback === 1;
  if (ended.groups !== undefined) {
    const named = ended.groups.split(' ');
    end.groups = GROUPED.filter((resource) => named.includes(resource));
  }
  if (ended.files) end.files = ended.files;
  if (ended.closed !== undefined) end.closed = ended.closed;
  if (ended.backstop) end.backstop = true;
  if (ended.reason === 'stopped') end.endedBy = 'stop';
  if (ended.reason === 'replaced') end.endedBy = 'newer';
  return end;
}

/**
 * The shell's sum misses processes that die with their namespace, or that no parent waits for. The ticks miss processes
 * that die between two measurements. So the largest one counts. A sum above `mostCs`, which is all that the cores can
 * use in the run's time, is an error of the kernel and does not count; the supervisor has checked the ticks.
 */
function cpuSecondsOf({ user, system, unreapedCs, ticks, mostCs }: z.infer<typeof Ended>): number {
  const waitedFor = seconds(user) + seconds(system);
  const most = typeof mostCs === 'number' ? mostCs / 100 : Infinity;
  const possible = [waitedFor, waitedFor + unreapedCs / 100].filter((sum) => sum <= most);
  return Math.max(ticks / 100, ...possible);
}

const reasonOf = (reason: z.infer<typeof Ended>['reason']): RunEnd['reason'] =>
  reason === 'stopped' || reason === 'replaced' ? 'killed' : reason;

/**
 * Returns the end of a conversation; throws ConversationReplacedError if a newer one replaced it. Attributes a kill to
 * others only if the program was isolated: without a sandbox or a user of its own, a program can kill its supervisor.
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
