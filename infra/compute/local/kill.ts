import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRef } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { pathExists, listNames, readOptional } from '../../files.ts';
import { killMembers, membersOf } from './kill/members.ts';
import { isAlive, isThisBoot, readOwner, signalOwner } from './attempt/owner.ts';
import { runDirectory, type Attempt } from '../run-protocol/paths.ts';
import { attemptsOf, stateOf } from './attempt/state.ts';

export const GONE_MS = 10_000;
/** Says that nothing of a lost run lives: its uid may be another run's by now, and must not be looked for again. */
const GONE = 'gone';
/** Where an end is written before it is put in place. */
const END = 'ended.tmp';

/**
 * Ends every attempt of a run up to that fence, with its conversations, and confirms it; a run under a higher fence is left
 * alone. A lost run stays lost, but nothing of it lives any more: call it before its slot is given on.
 */
export async function kill(context: LocalContext, run: RunRef, fence: number): Promise<void> {
  const attempts = await attemptsOf(runDirectory(context.layout, run));
  for (const attempt of attempts.filter((one) => one.fence <= fence))
    for (const control of await controlsOf(attempt)) await killControl(control);
}

/** The control directories of an attempt and of its conversations. */
export async function controlsOf({ directory, ctl }: Attempt): Promise<string[]> {
  const controls = [ctl];
  for (const name of await listNames(directory)) {
    const control = join(directory, name, 'ctl');
    // One that was half made when its worker died never began.
    if (name.startsWith('talk-') && (await pathExists(control))) controls.push(control);
  }
  return controls;
}

/** Ends it for a reason that its supervisor names, unless another stands there: it may look at any time, so that it comes whole. */
export async function endWithReason(control: string, reason: 'output' | 'stopped' | 'replaced'): Promise<void> {
  await giveReason(control, reason);
  await killControl(control);
}

async function giveReason(control: string, reason: string): Promise<void> {
  if (await pathExists(join(control, 'reason'))) return;
  const words = join(control, `because-${randomUUID()}`);
  // Only one can take it; what took it and died, or is at it, leaves the other way.
  if (await unlessGone(rename(join(control, 'reason.spare'), words))) {
    await writeOver(words, `${reason}\n`);
  } else await writeFile(words, `${reason}\n`);
  await link(words, join(control, 'reason')).catch(async (error: NodeJS.ErrnoException) => {
    // Where a link takes an inode: what another may have written meanwhile is a reason as well.
    if (error.code === 'ENOSPC') await rename(words, join(control, 'reason'));
    else if (error.code !== 'EEXIST') throw error;
  });
}

// Into blocks that it has: a run may have left none.
async function writeOver(file: string, text: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.write(text, 0);
  } finally {
    await handle.close();
  }
}

/** False where that was not there. */
async function unlessGone(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Ends what one control directory runs: TERM to its supervisor, which gives grace; then KILL; then leftovers. */
export async function killControl(control: string): Promise<void> {
  let status = await stateOf(control);
  if (status.state === 'staged') {
    if (await forbid(control)) return;
    status = await stateOf(control);
  }
  // Where its disk stalls, it may begin when we are gone: it ends itself then.
  if (status.state === 'claiming' || (status.state === 'lost' && !(await ownerOf(control))))
    await giveReason(control, 'killed');
  if (status.state === 'claiming') {
    await waitUntil(async () => (await stateOf(control)).state !== 'claiming', GONE_MS);
    status = await stateOf(control);
    if (status.state === 'claiming') await signalClaimer(control);
  }
  if (status.state === 'ended') return;
  if (status.state === 'running') {
    await signalOwner(status.owner, 'SIGTERM');
    const grace = await graceMs(control);
    if (await waitUntil(async () => (await stateOf(control)).state !== 'running', grace + GONE_MS)) {
      if ((await stateOf(control)).state === 'ended') return;
    } else await signalOwner(status.owner, 'SIGKILL');
  }
  await killLeftovers(control);
}

async function signalClaimer(control: string): Promise<void> {
  const owner = await ownerOf(control);
  if (owner) await signalOwner(owner, 'SIGKILL');
}

const ownerOf = (control: string) => readOwner(join(control, 'claim', 'owner'));

/** Kills what a dead supervisor left, once: process 1 of a namespace takes all others with it, else all are looked for. */
async function killLeftovers(control: string): Promise<void> {
  const init = await readOwner(join(control, 'init'));
  if (init && (await signalOwner(init, 'SIGKILL')) && !(await waitUntil(async () => !(await isAlive(init)), GONE_MS)))
    throw new Error(`kill: expected process ${init.pid} of ${control} to be gone within ${GONE_MS / 1000} s`);
  if (await hasNoProcesses(control)) return;
  await killMembers(control);
  // Nobody is left to write an end; the file for it is there although the run may have left no inode.
  if (!(await unlessGone(rename(join(control, END), join(control, GONE))))) await writeFile(join(control, GONE), '');
}

/** Before its owner was written nothing had started, and a reboot leaves nothing. */
export async function hasNoProcesses(control: string): Promise<boolean> {
  if (await pathExists(join(control, GONE))) return true;
  const owner = await ownerOf(control);
  return !owner || !(await isThisBoot(owner));
}

// Takes the claim of a run that nobody has claimed, so that a supervisor on its way finds it taken.
async function forbid(control: string): Promise<boolean> {
  const claim = join(control, 'claim');
  let taken = true;
  try {
    await mkdir(claim);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOSPC' || !(await pathExists(join(control, END)))) throw error;
    taken = false;
  }
  const end = {
    reason: (await readOptional(join(control, 'reason')))?.trim() || 'killed',
    code: 143,
    startedAt: new Date().toISOString(),
    wallCs: 0,
    user: '0m0s',
    system: '0m0s',
    maxRssKb: 0,
    ticks: 0,
    containment: 'process-group',
    sandboxed: 0,
    treeGone: true,
  };
  const [words, ended] = [join(control, END), join(control, 'ended.json')];
  // Of a run that an older version began.
  if (!(await pathExists(words))) await writeFile(words, '');
  await writeOver(words, `${JSON.stringify(end)}\n`);
  await rename(words, ended);
  // A supervisor that claims looks for an end, then begins: of the two, one at least sees the other.
  if (taken || !(await pathExists(claim))) return true;
  await rename(ended, words);
  return false;
}

async function graceMs(control: string): Promise<number> {
  const match = /^grace='(\d+)'$/m.exec(await readFile(join(control, 'spec'), 'utf8'));
  return Number(match?.[1] ?? 0) * 10;
}

export async function waitUntil(condition: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return condition();
}

/** The control directories of a run's attempts and conversations of which something still lives. */
export async function livingControls(attempts: Attempt[]): Promise<string[]> {
  const living: string[] = [];
  for (const attempt of attempts)
    for (const control of await controlsOf(attempt)) if (await lives(control)) living.push(control);
  return living;
}

async function lives(control: string): Promise<boolean> {
  const init = await readOwner(join(control, 'init'));
  const { state } = await stateOf(control);
  if (state === 'running' || state === 'claiming' || (init && (await isAlive(init)))) return true;
  return state === 'lost' && !(await hasNoProcesses(control)) && (await membersOf(control)).length > 0;
}
