import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { bytes, followToEnd, specOf } from '../conformance/support.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'perpetua-hide-')));
const SECRET = 'held-out-secret-4712';
const made = [base];
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A task folder with an evaluator's data, which every user may read. */
function makeTask(folder: string): string {
  mkdirSync(join(folder, 'evaluator'), { recursive: true });
  writeFileSync(join(folder, 'evaluator', 'answers.txt'), SECRET);
  execFileSync('chmod', ['-R', 'a+rX', base, folder]);
  return folder;
}

let homes = 0;
async function host(readable: string[], home = join(base, `home${(homes += 1)}`)) {
  const compute = createLocalCompute({ home, installation: 'hide-tests', readable });
  await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
  const run = async (command: string): Promise<string> => {
    const spec = specOf(`${command}; echo over`, { sandbox: 'required' });
    await compute.launch(spec);
    return (await followToEnd(compute, spec)).text;
  };
  const read = (folder: string) => run(`cat "${folder}/evaluator/answers.txt"; ls -A "${folder}"`);
  return { compute, run, read, home };
}

const canWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
const { sandboxed } = await createLocalCompute({ home: base, installation: 'x' }).protections('required');

describe.skipIf(!sandboxed)('a task folder', () => {
  it.each(['/opt', '/etc', '/usr/local/share'].filter(canWrite))(
    'is empty for a run though it lies in %s',
    async (at) => {
      const parent = mkdtempSync(join(at, "perpetua hide's-"));
      made.push(parent);
      execFileSync('chmod', ['a+rx', parent]);
      const folder = makeTask(join(parent, 'task'));
      const { compute, read, home } = await host([]);
      // The control: a run sees the folder until it is hidden.
      expect(await read(folder)).toContain(SECRET);
      await compute.hide(folder);
      expect(await read(folder)).toMatch(/No such file or directory\nover\n$/);
      // A later worker hides the folder, too. A hidden folder that no longer exists is no obstacle.
      expect(await (await host([], home)).read(folder)).not.toContain(SECRET);
      rmSync(folder, { recursive: true });
      expect(await read(folder)).toMatch(/over\n$/);
    },
  );

  it('is empty for a run though it lies in a folder that runs may read, and is reached by another name', async () => {
    const data = join(base, 'data');
    const folder = makeTask(join(data, 'tasks', 'one'));
    writeFileSync(join(data, 'corpus.txt'), 'text');
    const link = join(base, 'link');
    symlinkSync(data, link);
    const { compute, run, read } = await host([data, link]);
    const otherName = join(link, 'tasks', 'one');
    for (const name of [folder, otherName]) expect(await read(name)).toContain(SECRET);
    await compute.hide(otherName);
    for (const name of [folder, otherName]) expect(await read(name)).not.toContain(SECRET);
    expect(await run(`cat '${data}/corpus.txt'`)).toBe('textover\n');
  });

  it('may hold the state of the installation and a program of the runs', async () => {
    const parent = join(base, 'around');
    const folder = makeTask(join(parent, 'task'));
    mkdirSync(join(folder, 'tools'));
    writeFileSync(join(folder, 'tools', 'tool.txt'), 'tool');
    const { compute, run, read } = await host([parent, join(folder, 'tools')], join(folder, '.perpetua'));
    await compute.hide(folder);
    const text = await read(folder);
    expect(text).not.toContain(SECRET);
    expect(text).toMatch(/tools\nover\n$/);
    expect(await run(`cat '${folder}/tools/tool.txt'`)).toBe('toolover\n');
  });

  it('is refused if runs need the folder itself', async () => {
    const { compute, read } = await host([join(base, 'needed')]);
    makeTask(join(base, 'needed'));
    for (const folder of ['/usr', '/', join(base, 'needed')])
      await expect(compute.hide(folder)).rejects.toMatchObject({ name: 'CannotHideError' });
    expect(await read('/nowhere')).toMatch(/over\n$/);
  });
});

it.skipIf(!sandboxed)('hides state and this package in a folder that runs may read', async () => {
  const parent = join(base, 'shown');
  const { read, home } = await host([parent], join(parent, 'home'));
  makeTask(join(home, 'evaluations'));
  expect(await read(join(home, 'evaluations'))).not.toContain(SECRET);
  const clone = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
  const { run } = await host([dirname(clone)]);
  // Without stderr: if the package lies in another user's home folder, a run may not even list it.
  expect(await run(`ls -A '${clone}' 2>/dev/null`)).toBe('over\n');
});

/** Mounts a file system below a folder that runs see; returns its path, or false if this user may not mount. */
function mountBelow(parent: string): string | false {
  const at = join(parent, "perpetua disk's mount");
  try {
    mkdirSync(at);
    made.push(at);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', at], { stdio: 'ignore' });
    return at;
  } catch {
    return false;
  }
}

it.skipIf(!sandboxed)('a disk that is mounted below a folder that runs see is read-only for them', async ({ skip }) => {
  const shown = join(base, 'shown disks');
  mkdirSync(shown);
  const disks = ['/opt', shown].map(mountBelow);
  try {
    if (disks.includes(false)) skip('only root may mount a disk');
    const { run } = await host([shown]);
    for (const disk of disks) {
      writeFileSync(join(String(disk), 'there'), 'seen');
      const text = await run(`cat "${disk}/there"; touch "${disk}/mine" && echo wrote; touch ./own && echo own`);
      expect(text).toMatch(/^seen.*Read-only file system\nown\nover\n$/s);
      // Outside the sandbox, the disk stays writable.
      writeFileSync(join(String(disk), 'more'), '');
    }
  } finally {
    for (const disk of disks) if (disk !== false) execFileSync('umount', ['-l', disk]);
  }
});
