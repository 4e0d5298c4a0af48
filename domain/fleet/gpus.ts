/** A GPU as `nvidia-smi` names it. */
export interface Gpu {
  index: number;
  uuid: string;
  name: string;
  memoryMb: number;
}

/**
 * Owner of a process on a GPU, as its host reports:
 * - `ours`: a run under way that was given the GPU.
 * - `astray`: a run under way that was not given it.
 * - `left`: a run that is over.
 * - `setup`: a setup, perhaps of another installation.
 * - `other`: another installation.
 * - `nameless`: our user on the host, but no known run.
 * - `stranger`: another user.
 * - `unseen`: a process that the host does not show us, or that is ending.
 */
const OWNERS = ['ours', 'astray', 'left', 'setup', 'other', 'nameless', 'stranger', 'unseen'] as const;
export type Owner = (typeof OWNERS)[number];
/** Owners that count as others. */
const OTHERS: readonly Owner[] = ['other', 'nameless', 'stranger'];

/** Kernel ticks per second, the unit of a process's start time. */
export const TICKS_PER_SECOND = 100;

/** A process on a GPU. */
export interface GpuUse {
  uuid: string;
  pid: number;
  /** Start time in kernel ticks since boot; distinguishes a process from a later one with the same pid. */
  birth: number;
  whose: Owner;
}

/** Reason why a GPU cannot be lent: processes of others, or our own that do not belong there. */
export type Hindrance = 'others' | 'own';

/**
 * Finds the reason why a GPU cannot be lent, from the processes on it; null if it can. `isOurs`: we hold a slot of the
 * GPU, so a setup or an unseen process there is that of our run.
 */
export function hindranceOn(uses: readonly GpuUse[], isOurs: boolean): Hindrance | null {
  const isUsedBy = (...owners: Owner[]): boolean => uses.some(({ whose }) => owners.includes(whose));
  if (isUsedBy(...OTHERS) || (!isOurs && isUsedBy('setup', 'unseen'))) return 'others';
  return isUsedBy('astray', 'left') ? 'own' : null;
}

/** A failed run, with facts about its GPUs. Times are seconds since its host was booted; null: unknown. */
export interface FailedRun {
  /** UUIDs of the run's GPUs, separated by commas; null if it has none, or has given its slot back. */
  gpu: string | null;
  began: number | null;
  ended: number | null;
  /** True if no process of the run can have outlived it. */
  contained: boolean;
  /** True if the run had our user on the host, so that a process of another user is not its own. */
  ranAsOurUser: boolean;
}

/**
 * True if a process of others, or of another run, was on a GPU during a run. A process that the run itself may have
 * left, without a sign of its origin, does not count: a run must not get a second chance by its own leftovers.
 */
export function sharedGpuWithRun({ whose, birth }: GpuUse, run: FailedRun): boolean {
  const born = birth / TICKS_PER_SECOND;
  if (run.ended !== null && born > run.ended) return false;
  const isOlder = run.began !== null && born < run.began;
  // Leftovers of the run itself are younger than the run.
  if (whose === 'left') return isOlder;
  if (whose !== 'astray' && !OTHERS.includes(whose)) return false;
  return isOlder || run.contained || (run.ranAsOurUser && whose === 'stranger');
}

/** Columns of `nvidia-smi --query-gpu`: a broken GPU shows an error in one of the last three. */
export const GPU_COLUMNS = 'index,uuid,name,memory.total,temperature.gpu,power.draw,utilization.gpu';
const BROKEN = /\bERR!|\bunknown error\b|\bis lost\b|\brequires reset\b|\bfallen off\b|\bdevice handle\b/i;

/** A GPU that nvidia-smi reports with an error, which therefore gives no slot. */
export interface BrokenGpu {
  /** Null if nvidia-smi gives none. */
  index: number | null;
  uuid: string | null;
  /** Words of nvidia-smi. */
  message: string;
}

/** Describes broken GPUs for people; null if there are none. */
export function describeBroken(broken: readonly BrokenGpu[]): string | null {
  if (broken.length === 0) return null;
  const each = broken.map(({ index, message }) => (index === null ? message : `GPU ${index} reports ${message}`));
  return `${each.join('; ')}: no slot until nvidia-smi shows no error (reset the GPU, or reboot)`;
}

/** Leaves out the missing GPUs that nvidia-smi reports with an error: they are there. */
export const withoutBroken = <Key extends string | number>(
  missing: readonly Key[],
  broken: readonly BrokenGpu[],
): Key[] =>
  missing.filter((key) => {
    const isIndex = /^\d+$/.test(String(key));
    return !broken.some(({ index, uuid }) => (isIndex ? index === Number(key) : uuid?.startsWith(String(key))));
  });

/** Finds the GPUs that nvidia-smi reports with an error, in the text that `parseGpus` reads. */
export const parseBrokenGpus = (text: string): BrokenGpu[] =>
  text.split('\n').flatMap((line): BrokenGpu[] => {
    if (!BROKEN.test(line)) return [];
    const [index = '', uuid = '', ...rest] = line.split(',').map((cell) => cell.trim());
    if (!/^\d+$/.test(index)) return [{ index: null, uuid: null, message: line.trim() }];
    const message = [uuid, ...rest].find((cell) => BROKEN.test(cell)) ?? '';
    return [{ index: Number(index), uuid: /^(GPU|MIG)-/.test(uuid) ? uuid : null, message }];
  });

/**
 * Parses the output of `nvidia-smi --query-gpu=GPU_COLUMNS --format=csv,noheader,nounits`, followed by that of
 * `nvidia-smi -L`. A GPU that is divided (MIG) is replaced by its parts. Broken GPUs, other lines, and repeated GPUs
 * are left out.
 */
export function parseGpus(text: string): Gpu[] {
  const lines = text.split('\n');
  const whole = new Map<string, Gpu>();
  for (const line of lines) {
    const [index = '', uuid = '', ...rest] = line.split(',').map((cell) => cell.trim());
    // A name may have commas. The memory follows it, and then only values.
    const memoryAt = rest.findLastIndex((cell) => !isValue(cell)) + 1;
    const name = rest.slice(0, memoryAt).join(', ');
    const memoryMb = Number(rest[memoryAt]);
    const isGpu = /^\d+$/.test(index) && /^(GPU|MIG)-/.test(uuid) && name !== '' && memoryAt < rest.length;
    if (!isGpu || BROKEN.test(line) || whole.has(uuid)) continue;
    whole.set(uuid, { index: Number(index), uuid, name, memoryMb: Number.isFinite(memoryMb) ? memoryMb : 0 });
  }
  const parts = partsIn(lines);
  return [...whole.values()].flatMap((gpu) => {
    const own = parts.filter(({ parent }) => parent === gpu.uuid);
    if (own.length === 0) return [gpu];
    return own.map(({ uuid, profile }) => {
      const memoryMb = Number(/\.(\d+)gb/.exec(profile)?.[1] ?? 0) * 1024;
      return { index: gpu.index, uuid, name: `${gpu.name} MIG ${profile}`, memoryMb };
    });
  });
}

/** True for a number, or for words in brackets that nvidia-smi prints in place of one. */
const isValue = (cell: string): boolean => /^(\d+(\.\d+)?|\[.*\]|N\/A|ERR!)$/.test(cell);

/** Parts as `nvidia-smi -L` lists them, each below its GPU: "  MIG 3g.20gb     Device  0: (UUID: MIG-…)". */
function partsIn(lines: readonly string[]): { parent: string; uuid: string; profile: string }[] {
  let parent = '';
  return lines.flatMap((line) => {
    parent = /^GPU \d+: .*\(UUID: (GPU-[^)]+)\)/.exec(line)?.[1] ?? parent;
    const [, profile = '', uuid = ''] = /^\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[A-Za-z0-9-]+)\)/.exec(line) ?? [];
    return uuid === '' ? [] : [{ parent, uuid, profile }];
  });
}

/** Parses the processes on GPUs that the host's script printed: lines "GPU, process, birth, whose". */
export const parseGpuUses = (text: string): GpuUse[] =>
  text.split('\n').flatMap((line) => {
    const [uuid = '', pid = '', birth = '', named = ''] = line.split(',').map((cell) => cell.trim());
    if (!/^(GPU|MIG)-/.test(uuid) || !/^\d+$/.test(pid)) return [];
    // An unknown owner counts as another user.
    const whose = OWNERS.find((owner) => owner === named) ?? 'stranger';
    return [{ uuid, pid: Number(pid), birth: Number(birth), whose }];
  });

/** Chooses the GPUs that a host shall lend. `missing`: wanted GPUs not found; for `auto`, those seen before. */
export function chooseGpus(
  found: readonly Gpu[],
  wanted: 'auto' | readonly (string | number)[],
  seen: readonly string[] = [],
): { gpus: Gpu[]; missing: (string | number)[] } {
  if (wanted === 'auto')
    return { gpus: [...found], missing: seen.filter((uuid) => !found.some((gpu) => gpu.uuid === uuid)) };
  // As in CUDA, the beginning of a UUID suffices. The index of a divided GPU names all its parts.
  const named = (key: string | number): Gpu[] => {
    if (/^\d+$/.test(String(key))) return found.filter(({ index }) => index === Number(key));
    const begun = found.filter(({ uuid }) => uuid.startsWith(String(key)));
    return begun.length > 1 ? begun.filter(({ uuid }) => uuid === key) : begun;
  };
  const gpus = wanted.flatMap(named);
  return { gpus: [...new Set(gpus)], missing: wanted.filter((key) => named(key).length === 0) };
}
