import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { attemptOf, layoutOf, runDirectory } from '../../../infra/compute/run-protocol/paths.ts';
import { bytes, followToEnd, LIMITS, specOf, eventsOf } from './conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-sandbox-'));
const compute = createLocalCompute({ home, installation: 'sandbox-tests' });
const { sandboxed, notes } = await compute.protections('required');
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));
const SECRET = 'held-out-secret-4711';

/** Output and end of a command in the sandbox. */
async function inside(command: string) {
  const spec = specOf(command, { sandbox: 'required' });
  await compute.launch(spec);
  return { spec, ...(await followToEnd(compute, spec)) };
}

/** Adds a key to each of the kernel's keyrings of a process, or searches for it there. */
const KEYS = `perl -MPOSIX -e '
  my ($add, $keyctl) = (POSIX::uname())[4] eq "x86_64" ? (248, 250) : (217, 219);
  my ($type, $name, $words) = ("user", "left-by-a-run", "4711");
  for my $ring (-3, -4, -5) {
    my $key = $ARGV[0] eq "leave"
      ? syscall($add, $type, $name, $words, 4, $ring) : syscall($keyctl, 10, $ring, $type, $name, 0);
    print $key > 0 ? "key " : "none ";
  }
'`;
const keys = (verb: 'leave' | 'find'): string => `${KEYS} ${verb}`;

/** Requests a socket to the host of a virtual machine by each system call: plain, as x32 code, by io_uring. */
const VSOCK = `perl -MPOSIX -e '
  my ($socket) = (POSIX::uname())[4] eq "x86_64" ? 41 : 198;
  my ($two, $three) = ("\\0" x 120, "\\0" x 120);
  for ([$socket, 40, 1, 0], [$socket | 0x40000000, 40, 1, 0], [425, 4, $two, 0]) {
    print syscall($_->[0], $_->[1], $_->[2], $_->[3]) < 0 ? "closed " : "open ";
  }
  print socket(S, 1, 1, 0) ? "and others open" : "and others closed";
'`;

const CONNECT = `node -e '
  const s = require("net").connect(JSON.parse(process.argv[1]));
  s.on("connect", () => { console.log("connected"); process.exit(); });
  s.on("error", (e) => { console.log("refused", e.code); process.exit(); });
'`;
const connectTo = (where: object): string => `${CONNECT} '${JSON.stringify(where)}'`;

async function listen(where: object): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.end());
  server.listen(where);
  await once(server, 'listening');
  // The control: the server can be reached from outside the sandbox.
  const port = (server.address() as AddressInfo).port;
  const socket = connect('path' in where ? (where as { path: string }) : { host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.destroy();
  return { server, port };
}

describe.skipIf(!sandboxed)(`a sandboxed run (${notes.join(' ')})`, () => {
  let worker: ChildProcess;
  beforeAll(async () => {
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    worker = spawn('sleep', ['4400'], { env: { OPENAI_API_KEY: SECRET } });
    await once(worker, 'spawn');
  });
  afterAll(() => {
    worker.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  it('leaves no key of the kernel for a later run of its slot', async ({ skip }) => {
    // The control: the run that added the keys finds them.
    const { text } = await inside(`${keys('leave')}; ${keys('find')}`);
    skip(text !== 'key key key key key key ', `no perl, or no keys of the kernel, here: ${text}`);
    skip(
      notes.some((note) => note.includes('keyrings')),
      'no user namespace for a run here, and the notes say so',
    );
    expect((await inside(keys('find'))).text).toBe('none none none ');
  });

  it("cannot read the worker's environment, nor see its process", async () => {
    // The control: the environment is readable outside the sandbox.
    expect(readFileSync(`/proc/${worker.pid}/environ`, 'utf8')).toContain(SECRET);
    const { text } = await inside(`cat /proc/[0-9]*/environ | tr '\\0' '\\n'; ls -d /proc/[0-9]* | wc -l; echo end`);
    expect(text).not.toContain(SECRET);
    expect(Number(/^(\d+)$/m.exec(text)?.[1])).toBeLessThan(10);
    expect((await inside(`kill -0 ${worker.pid} || kill -0 ${process.pid} || echo none`)).text).toMatch(/none$/m);
  });

  it.each([
    ['a file of the evaluator', 'evaluations/e1/score.sh'],
    ['held-out data', 'evaluations/e1/data/held-out.txt'],
    ['the data of Postgres', 'postgres/data/base/1'],
    ['the file of Temporal', 'temporal/temporal.db'],
    ['a stage', 'stages/other/files/x'],
  ])('cannot read %s, nor see it', async (_, file) => {
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, SECRET);
    const look = `cat '${path}'; cd '${home}' && find . -type f; grep -r ${SECRET} .; echo end`;
    // The control: outside the sandbox, each of these commands finds the file.
    const here = spawnSync('sh', ['-c', look], { encoding: 'utf8' }).stdout;
    for (const found of [`${SECRET}./`, `./${file}\n`, `./${file}:${SECRET}`]) expect(here).toContain(found);
    const { text } = await inside(look);
    expect(text).toMatch(/end$/m);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(`./${file.slice(0, file.indexOf('/'))}`);
  });

  it("cannot read or write another run's directory", async () => {
    const other = specOf(`echo ${SECRET} > secret; pwd; sleep 4401`);
    await compute.launch(other);
    let there = '';
    for await (const event of eventsOf(compute, other)) {
      if (event.type === 'output') there = Buffer.from(event.chunk).toString().trim();
      break;
    }
    await expect.poll(() => readFileSync(join(there, 'secret'), 'utf8')).toContain(SECRET);
    const { text } = await inside(
      `cat '${there}/secret'; echo x > '${there}/x'; ls '${dirname(dirname(dirname(there)))}'`,
    );
    await compute.kill(other, other.fence);
    expect(text).not.toContain(SECRET);
    expect(text.match(/No such file|nonexistent/g)?.length).toBeGreaterThanOrEqual(2);
    const runs = text
      .trim()
      .split('\n')
      .filter((line) => /^[0-9a-f]{16}\.\d+$/.test(line));
    expect(runs).toHaveLength(1);
  });

  it('cannot reach a server of this machine', async () => {
    const { server, port } = await listen({ host: '127.0.0.1', port: 0 });
    const { text } = await inside(connectTo({ host: '127.0.0.1', port }));
    server.close();
    expect(text).toMatch(/^refused /);
  });

  it('cannot reach a socket file', async () => {
    const path = join(tmpdir(), `perpetua-${process.pid}.sock`);
    const { server } = await listen({ path });
    const { text } = await inside(connectTo({ path }));
    server.close();
    expect(text).toBe('refused ENOENT\n');
  });

  it('cannot reach the network', async () => {
    const { text } = await inside(
      `${connectTo({ host: '192.0.2.1', port: 80 })}; node -p 'Object.keys(os.networkInterfaces())'`,
    );
    expect(text).toBe("refused ENETUNREACH\n[ 'lo' ]\n");
  });

  it('cannot open a socket between a virtual machine and its host', async ({ skip }) => {
    const { text } = await inside(VSOCK);
    skip(text.includes('not found'), 'no perl here');
    expect(text).toBe('closed closed closed and others open');
    expect(notes.some((note) => note.includes('AF_VSOCK'))).toBe(false);
    // The control: outside the sandbox, such a socket is closed only if this kernel does not support it.
    const here = spawnSync('sh', ['-c', VSOCK], { encoding: 'utf8' }).stdout;
    skip(!here.includes('open '), 'this kernel has none of these sockets');
  });

  it('cannot see home directories, this package, or write outside its own directory', async () => {
    const { text } = await inside(
      `ls -d /root /home '${PACKAGE}'; ` +
        'for f in /x /usr/x /etc/x /proc/sys/kernel/hostname /dev/x; do echo x > $f; done; echo end',
    );
    expect(text.match(/No such file or directory/g)?.length).toBeGreaterThanOrEqual(3);
    expect(text.match(/cannot create/g)?.length).toBe(5);
  });

  it('has no capabilities, gains no privileges, and has no descriptor but its own three', async () => {
    const { text } = await inside(
      'grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; ls /proc/self/fd | grep -c "^.$"',
    );
    expect(text).toMatch(/CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\n4\n$/);
  });

  it('cannot kill its supervisor by killing its own group, or every process that it sees', async () => {
    for (const everybody of ['0', '-1']) {
      const { end, last } = await inside(`kill -9 ${everybody}; sleep 1`);
      expect(last?.type).toBe('ended');
      expect(end).toMatchObject({ sandboxed: true, treeGone: true });
    }
  });

  it('cannot uncover hidden folders with mounts of its own', async () => {
    const { text } = await inside(
      `unshare -Urm sh -c 'umount -l "${home}" /tmp /usr; mount -o remount,rw /usr'; ls '${home}/postgres'`,
    );
    expect(text).not.toContain('data');
  });

  it('cannot write a file, while it answers, that a second conversation could read', async () => {
    const { spec } = await inside('echo 3 > factor');
    const command =
      'cat factor; cat /tmp/seen; for f in ./seen factor /tmp/seen; do echo x > $f && echo wrote $f; done';
    for (let time = 0; time < 2; time += 1) {
      const talk = await compute.converse({ ...spec, artefacts: [{ path: 'factor', maxBytes: 100 }], command });
      let text = '';
      for await (const chunk of talk.output) text += Buffer.from(chunk).toString();
      await talk.ended;
      expect(text).toBe('3\nwrote /tmp/seen\n');
    }
    const attempt = dirname(attemptOf(runDirectory(layoutOf(home, 'sandbox-tests'), spec), spec.fence).ctl);
    const talks = readdirSync(attempt).filter((name) => name.startsWith('talk-'));
    const leftovers = talks.flatMap((name) =>
      ['tmp', 'work'].filter((folder) => existsSync(join(attempt, name, folder))),
    );
    expect([talks.length, leftovers]).toEqual([2, []]);
  });

  it('cannot put a larger file, or more processes than its limit, on the host', async () => {
    const limits = { ...LIMITS, diskMb: 1 };
    const spec = specOf('yes > large', { sandbox: 'required', limits });
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).end.reason).toBe('disk');
  });
});
