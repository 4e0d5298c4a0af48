import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupFailedError, StageMissingError, type RunSpec } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { moveDamagedStage } from './stage/damaged-stages.ts';
import { findShallowDamage } from './stage/damage.ts';
import { stageIdIn } from './stage/identity.ts';
import { findStrayFile } from './stage/listing.ts';
import { confine } from '../run-protocol/confinement/confine.ts';
import { runEnvironment } from '../run-protocol/environment.ts';
import { localSandboxMounts } from './hide-folder.ts';
import { pythonOf, requireWorldReadable } from './python.ts';
import { copyTree, pathExists, PathTakenError, writeFiles } from '../../files.ts';
import { makeOpenFolder } from '../../make-open-folder.ts';
import { removeTree } from '../../remove-tree.ts';
import { attemptOf, runDirectory, type Attempt } from '../run-protocol/paths.ts';
import { newShortTmp } from '../run-protocol/short-tmp.ts';
import { readManifest, stageParts, writeManifest, type Manifest } from './stage.ts';
import { changeOwner } from './attempt/change-owner.ts';
import { currentAttempt, stateOf } from './attempt/state.ts';
import { writeControl } from './supervise.ts';
import { foldersToShow } from '../tools/folders-to-show.ts';

const CLAIM_MS = 30_000;
/** Most restarts of a supervisor whose starting shell was killed; after that, the activity retries the launch. */
const RESTARTS = 3;

/** Makes the run directory and starts a detached supervisor; returns when it has the claim. Safe to repeat. */
export async function launch(context: LocalContext, spec: RunSpec): Promise<void> {
  if (!Number.isSafeInteger(spec.fence) || spec.fence < 0)
    throw new RangeError(`fence: expected 0, 1, 2, …; got ${spec.fence}`);
  const current = await currentAttempt(context.layout, spec);
  if (current && ['running', 'ended'].includes(current.status.state)) return;
  // A lost run may start again, but only under a higher fence.
  if (current?.status.state === 'lost' && spec.fence <= current.attempt.fence) return;
  const attempt = attemptOf(runDirectory(context.layout, spec), spec.fence);
  if (!(await pathExists(attempt.directory))) await makeAttempt(context, spec, attempt);
  await startAndAwaitClaim(context, attempt);
}

async function makeAttempt(context: LocalContext, spec: RunSpec, attempt: Attempt): Promise<void> {
  const parts = stageParts(context.layout, spec.stageHash);
  const id = await stageIdIn(parts.root);
  if (id === undefined) throw new StageMissingError(spec.stageHash, context.host);
  const manifest = await readManifest(parts.root, parts.files);
  const { confinement, uid } = await confine(context, spec);
  const taskFolders = await foldersToShow(context.tools, spec);
  const python = await pythonOf(context, spec.environment);
  if (python && uid !== null && !confinement.sandboxed) await requireWorldReadable(python);
  const runDir = runDirectory(context.layout, spec);
  const temporary = join(runDir, `.tmp-${randomUUID()}`);
  const at = (name: string): string => join(temporary, name);
  try {
    makeOpenFolder(temporary, 0o711);
    // Mode 700: runs of other users cannot enter.
    for (const name of ['work', 'tmp', 'root']) await mkdir(at(name), { mode: 0o700 });
    const missingFile = await copyTree(parts.files, at('work')).catch(keepMissing);
    // Checks the copy, not the stage: files of the stage may disappear during the copy.
    const damage = await findDifference(parts.root, { manifest, copy: at('work') });
    if (damage !== undefined || !manifest) {
      // If the stage is whole, the copy is at fault: a sweep may have removed it.
      const isWhole = (await findDifference(parts.root, { manifest, copy: parts.files })) === undefined;
      if (isWhole && (await stageIdIn(parts.root)) === id)
        throw missingFile ?? new Error(`run directory: expected all files of the stage in its copy; ${damage}`);
      await moveDamagedStage(context.layout, { hash: spec.stageHash, id });
      throw new StageMissingError(spec.stageHash, context.host, damage);
    }
    await writeManifest(temporary, manifest);
    await writeFiles(at('work'), spec.files).catch(refuseFiles);
    if (uid !== null) await Promise.all([changeOwner(at('work'), uid), changeOwner(at('tmp'), uid)]);
    const tmp = confinement.sandboxed ? '/tmp' : attempt.tmp;
    await writeControl(at('ctl'), {
      control: attempt.ctl,
      work: attempt.work,
      tmp: attempt.tmp,
      short: confinement.sandboxed ? undefined : newShortTmp(),
      root: join(attempt.directory, 'root'),
      fence: spec.fence,
      talk: false,
      command: spec.command,
      apart: spec.apart,
      env: runEnvironment(context, { ...spec, data: parts.data, python }, { work: attempt.work, tmp }),
      limits: spec.limits,
      staged: parts.files,
      laid: spec.files,
      confinement,
      uid,
      ...(await localSandboxMounts(context, [
        ...taskFolders,
        ...(python?.show ?? []),
        parts.data,
        ...(spec.gateway === undefined ? [] : [spec.gateway]),
      ])),
      supervisor: await context.supervisor(),
    });
    await writeFile(
      at('run.json'),
      JSON.stringify({ stageHash: spec.stageHash, stageId: id, files: spec.files.map((f) => f.path) }),
      { mode: 0o600 },
    );
    await rename(temporary, attempt.directory);
  } catch (error) {
    await removeTree(temporary);
    // A concurrent launch with the same fence was faster.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Returns a file that a copy of the stage lacks or has too much; undefined if there is none. */
const findDifference = async (
  root: string,
  { manifest, copy }: { manifest: Manifest | undefined; copy: string },
): Promise<string | undefined> =>
  (await findShallowDamage(root, { manifest, copy })) ?? (manifest && (await findStrayFile(root, { manifest, copy })));

/** Reports a folder or link that the setup made in place of a mutable file: the task's fault, which no retry mends. */
const refuseFiles = (error: unknown): never => {
  if (!(error instanceof PathTakenError)) throw error;
  throw new SetupFailedError(`${error.message}: setup has to leave the mutable files where they are`, '');
};

/** Keeps the error of a missing file; the check of the copy then finds out whether the stage or the copy lost it. */
const keepMissing = (error: NodeJS.ErrnoException): Error => {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
  return error;
};

/** Starts the supervisor of an attempt and waits until this supervisor, or a faster one, has started the run. */
async function startAndAwaitClaim(context: LocalContext, attempt: Attempt): Promise<void> {
  const supervisor = await context.supervisor();
  let { exitCode } = context.starter.start(supervisor, attempt.ctl);
  let restarts = 0;
  for (const until = Date.now() + CLAIM_MS; Date.now() < until;) {
    const exit = exitCode();
    // Most checks come too early, and `stateOf` reads half a dozen files, so this checks for one file first.
    if (exit !== undefined || existsSync(join(attempt.ctl, 'started.json'))) {
      const { state } = await stateOf(attempt.ctl);
      if (state === 'running' || state === 'ended' || state === 'lost') return;
      // The supervisor gave its claim back: another fence holds the run.
      if (exit === 0 && state === 'staged') return;
      if (exit) throw new Error(`supervisor: expected it to claim ${attempt.directory}; exit code ${exit}`);
      if (exit === null) {
        if (restarts === RESTARTS)
          throw new Error(
            `supervisor: expected it to claim ${attempt.directory}; ` +
              `the shell that starts it ended ${RESTARTS + 1} times`,
          );
        restarts += 1;
        // The shell was killed. If it had started a supervisor before, the claim decides between the two.
        ({ exitCode } = context.starter.start(supervisor, attempt.ctl));
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  context.starter.renew();
  throw new Error(`supervisor: expected it to claim ${attempt.directory} within ${CLAIM_MS / 1000} s`);
}
