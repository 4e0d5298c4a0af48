/** A GPU as `nvidia-smi` names it. */
export interface Gpu {
  index: number;
  uuid: string;
  name: string;
  memoryMb: number;
}

/**
 * Whose a process on a GPU is, as its host tells: `ours`, of a run that is under way and was given that GPU; `astray`, of one
 * that was not given it; `left`, of one that is over; `setup`, of a setup, perhaps another installation's; `other`, another
 * installation's; `nameless`, of no run by its own words, though of the user that we are there; `stranger`, of another user;
 * `unseen`, one that the host does not show us, or that is ending.
 */
const OWNERS = ['ours', 'astray', 'left', 'setup', 'other', 'nameless', 'stranger', 'unseen'] as const;
export type Owner = (typeof OWNERS)[number];
/** Those that we take for somebody else's. */
const OTHERS: readonly Owner[] = ['other', 'nameless', 'stranger'];

/** In which the kernel tells when a process began. */
export const TICKS_PER_SECOND = 100;

/** A process on a GPU. */
export interface GpuUse {
  uuid: string;
  pid: number;
  /** When it began, in the kernel's ticks since boot; with it a number that was given away again is no longer it. */
  birth: number;
  whose: Owner;
}

/** Why a GPU cannot be lent. */
export type Hindrance = 'others' | 'own';

/**
 * What keeps a GPU from being lent, by the processes on it: somebody else's, or our own where they do not belong. `lent` says
 * that we hold a slot of it, whose run, or its setup, is all that can be there unseen.
 */
export function hindranceOn(uses: readonly GpuUse[], lent: boolean): Hindrance | null {
  const isThere = (...owners: Owner[]): boolean => uses.some(({ whose }) => owners.includes(whose));
  if (isThere(...OTHERS) || (!lent && isThere('setup', 'unseen'))) return 'others';
  return isThere('astray', 'left') ? 'own' : null;
}

/** A run that failed, as far as it tells who was beside it. Times are seconds since its host was booted; null: nobody knows. */
export interface FailedRun {
  /** UUIDs of its GPUs, by commas; null where it has none, or has given its slot back. */
  gpu: string | null;
  began: number | null;
  ended: number | null;
  /** Whether nothing that it started can have outlived it. */
  contained: boolean;
  /** Whether it ran as the user that we are there, so that what is of another user is not its own. */
  asUs: boolean;
}

/**
 * Whether somebody else's process, or another run's, was on a GPU while a run was. What the run itself may have left there, having forgotten where
 * it came from, is not somebody else's: no run shall fail itself into a second chance.
 */
export function sharedGpuWithRun({ whose, birth }: GpuUse, run: FailedRun): boolean {
  const born = birth / TICKS_PER_SECOND;
  if (run.ended !== null && born > run.ended) return false;
  const isOlder = run.began !== null && born < run.began;
  // What the run itself left is younger than it.
  if (whose === 'left') return isOlder;
  if (whose !== 'astray' && !OTHERS.includes(whose)) return false;
  return isOlder || run.contained || (run.asUs && whose === 'stranger');
}

/**
 * GPUs in the output of `nvidia-smi --query-gpu=index,uuid,name,memory.total --format=csv,noheader,nounits` with that of
 * `nvidia-smi -L` behind it: of a GPU that is cut into parts (MIG) the parts. Lines that are neither, or name one again, are
 * left out.
 */
export function parseGpus(text: string): Gpu[] {
  const lines = text.split('\n');
  const whole = new Map<string, Gpu>();
  for (const line of lines) {
    const [index = '', uuid = '', ...rest] = line.split(',').map((cell) => cell.trim());
    const memoryMb = Number(rest.at(-1));
    const name = rest.slice(0, -1).join(', ');
    if (!/^\d+$/.test(index) || !/^(GPU|MIG)-/.test(uuid) || name === '' || whole.has(uuid)) continue;
    whole.set(uuid, { index: Number(index), uuid, name, memoryMb: Number.isFinite(memoryMb) ? memoryMb : 0 });
  }
  const parts = partsIn(lines);
  return [...whole.values()].flatMap((gpu) => {
    const cut = parts.filter(({ of }) => of === gpu.uuid);
    if (cut.length === 0) return [gpu];
    return cut.map(({ uuid, profile }) => {
      const memoryMb = Number(/\.(\d+)gb/.exec(profile)?.[1] ?? 0) * 1024;
      return { index: gpu.index, uuid, name: `${gpu.name} MIG ${profile}`, memoryMb };
    });
  });
}

/** Parts as `nvidia-smi -L` lists them, each below its GPU: "  MIG 3g.20gb     Device  0: (UUID: MIG-…)". */
function partsIn(lines: readonly string[]): { of: string; uuid: string; profile: string }[] {
  let of = '';
  return lines.flatMap((line) => {
    of = /^GPU \d+: .*\(UUID: (GPU-[^)]+)\)/.exec(line)?.[1] ?? of;
    const [, profile = '', uuid = ''] = /^\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[A-Za-z0-9-]+)\)/.exec(line) ?? [];
    return uuid === '' ? [] : [{ of, uuid, profile }];
  });
}

/** What the host's script printed of them: lines "GPU, process, birth, whose". */
export const parseGpuUses = (text: string): GpuUse[] =>
  text.split('\n').flatMap((line) => {
    const [uuid = '', pid = '', birth = '', named = ''] = line.split(',').map((cell) => cell.trim());
    if (!/^(GPU|MIG)-/.test(uuid) || !/^\d+$/.test(pid)) return [];
    // A word that we do not know is nobody we know.
    const whose = OWNERS.find((one) => one === named) ?? 'stranger';
    return [{ uuid, pid: Number(pid), birth: Number(birth), whose }];
  });

/** The GPUs of a host that it is meant to lend, and those of the list, or of all that it had before, that are not there. */
export function chooseGpus(
  found: readonly Gpu[],
  wanted: 'auto' | readonly (string | number)[],
  seen: readonly string[] = [],
): { gpus: Gpu[]; missing: (string | number)[] } {
  if (wanted === 'auto')
    return { gpus: [...found], missing: seen.filter((uuid) => !found.some((gpu) => gpu.uuid === uuid)) };
  // As for CUDA, the beginning of a UUID will do; of a GPU that is cut its number names all parts.
  const named = (one: string | number): Gpu[] => {
    if (/^\d+$/.test(String(one))) return found.filter(({ index }) => index === Number(one));
    const begun = found.filter(({ uuid }) => uuid.startsWith(String(one)));
    return begun.length > 1 ? begun.filter(({ uuid }) => uuid === one) : begun;
  };
  const gpus = wanted.flatMap(named);
  return { gpus: [...new Set(gpus)], missing: wanted.filter((one) => named(one).length === 0) };
}
