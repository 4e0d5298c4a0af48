import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { attemptOf, layoutOf, runDirectory } from '../../../infra/compute/run-protocol/paths.ts';
import { bytes, followToEnd, specOf } from './conformance/support.ts';
import { has } from './supervisor/supervise.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-programs-'));
const compute = createLocalCompute({ home, installation: 'programs-tests' });
const { sandboxed, uid, notes } = await compute.protections('required');
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a program in the sandbox, by an interpreter of the system. */
async function runProgram(interpreter: string, text: string, env: Record<string, string> = {}) {
  const files = [{ path: 'main', content: bytes(text) }];
  const spec = specOf(`${interpreter} main`, { sandbox: 'required', files, env });
  await compute.launch(spec);
  return { spec, ...(await followToEnd(compute, spec)) };
}

const tcpToItself = (address: string): string => `
const net = require('net');
const answered = (text) => { console.log('answer', String(text)); process.exit(); };
const server = net.createServer((socket) => socket.end('ok')).listen(0, '${address}', () =>
  net.connect(server.address().port, '${address}').on('data', answered));
server.on('error', (error) => { console.log(error.code); process.exit(); });
`;

const PYTHON_TCP = `import socket, threading
server = socket.create_server(('127.0.0.1', 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b'ok'), daemon=True).start()
print('answer', socket.create_connection(server.getsockname(), timeout=30).recv(2).decode())
`;

const QUEUE_OVER_TCP = `from multiprocessing.managers import BaseManager
import queue
q = queue.Queue()
class Manager(BaseManager): pass
Manager.register('q', callable=lambda: q)
if __name__ == '__main__':
    manager = Manager(address=('localhost', 0), authkey=b'k')
    manager.start()
    manager.q().put(3)
    print('got', manager.q().get())
    manager.shutdown()
`;

const USER = `import getpass, grp, os, pathlib, pwd
entry = pwd.getpwuid(os.getuid())
print(getpass.getuser(), entry.pw_name, grp.getgrgid(os.getgid()).gr_name)
print(entry.pw_dir == os.environ['HOME'] == os.path.expanduser('~') == str(pathlib.Path.home()))
pathlib.Path(entry.pw_dir, '.cache').mkdir()
`;

const READ_LOOP = `n=0
while read -r line; do n=$((n + 1)); done < <(printf 'a\\nb\\nc\\n')
echo "loss: 0.$n"
`;

const TEE_LOG = `set -euo pipefail
exec > >(tee train.log) 2>&1
echo 'loss: 0.1'
until test -s train.log; do sleep .1; done
`;

const TO_STREAMS = `set -e
echo warming up >/dev/stderr
echo 'loss: 0.1' >/dev/stdout
cat /dev/stdin
`;

const WHO = `whoami; id -gn; echo "$USER $LOGNAME"
node -p 'os.userInfo().username + (os.userInfo().homedir === os.homedir())'
`;

describe.skipIf(!sandboxed)(`a program in the sandbox (${notes.join(' ')})`, () => {
  beforeAll(() => compute.stage('stage1', []));

  it.for([
    ['connects to itself on 127.0.0.1', 'node', tcpToItself('127.0.0.1'), 'answer ok\n'],
    ['connects to itself on localhost', 'node', tcpToItself('localhost'), 'answer ok\n'],
    ['in Python connects to itself by TCP', 'python3', PYTHON_TCP, 'answer ok\n'],
    ['shares a queue by TCP with processes that it starts', 'python3', QUEUE_OVER_TCP, 'got 3\n'],
    ['reads a process substitution line by line', 'bash', READ_LOOP, 'loss: 0.3\n'],
    ['sends its output through tee', 'bash', TEE_LOG, 'loss: 0.1\n'],
    ['opens its standard streams by their names', 'sh', TO_STREAMS, 'warming up\nloss: 0.1\n'],
    ['finds its user by name, and makes folders in its home', 'python3', USER, 'perpetua perpetua perpetua\nTrue\n'],
    ['is named alike by all programs', 'sh', WHO, 'perpetua\nperpetua\nperpetua perpetua\nperpetuatrue\n'],
  ] as const)('%s', async ([, interpreter, text, output], { skip }) => {
    // The sandbox shows the programs of /usr, and no other Python.
    const isThere = has(interpreter) && (interpreter !== 'python3' || existsSync('/usr/bin/python3'));
    skip(!isThere, `${interpreter} is not installed`);
    expect(await runProgram(interpreter, text)).toMatchObject({ text: output, end: { exitCode: 0 } });
  });

  it('connects to itself on ::1 if the kernel has IPv6', async ({ skip }) => {
    skip(!existsSync('/proc/net/if_inet6'), 'this kernel has no IPv6');
    expect((await runProgram('node', tcpToItself('::1'))).text).toBe('answer ok\n');
  });

  it('has its loopback recorded in its end', async () => {
    expect((await runProgram('sh', 'true')).end.loopback).toBe(true);
  });

  it('cannot take back what it has printed, if it has a user of its own', async ({ skip }) => {
    skip(!uid, 'runs have the user of the worker here');
    const { text } = await runProgram('sh', 'echo printed; cat /dev/stdout; : <>/dev/stderr');
    expect(text).toMatch(/^printed\n.*\/dev\/stdout: Permission denied\n.*\/dev\/stderr: Permission denied\n$/);
  });

  it.each([
    [{ USER: 'alice' }, 'alice alice alice\n'],
    [{ USER: 'alice', LOGNAME: 'bob' }, 'alice bob alice\n'],
  ])('has the user of its task: %j', async (env, output) => {
    expect((await runProgram('sh', 'echo "$USER $LOGNAME $USER"', env)).text).toBe(output);
  });

  it("leaves its home to no other run, and the machine's list of users as it was", async () => {
    const users = readFileSync('/etc/passwd', 'utf8');
    const { spec, text } = await runProgram('sh', 'echo x >>/etc/passwd; echo kept >"$HOME/.note"; echo "$HOME"');
    expect(text).toMatch(/cannot create \/etc\/passwd: (Permission denied|Read-only)/);
    const attempt = attemptOf(runDirectory(layoutOf(home, 'programs-tests'), spec), spec.fence);
    expect(text).toContain(`${attempt.work}\n`);
    expect((await runProgram('sh', `cat '${attempt.work}/.note'`)).text).toContain('No such file');
    await compute.remove(spec);
    expect(existsSync(attempt.directory)).toBe(false);
    expect(readFileSync('/etc/passwd', 'utf8')).toBe(users);
  });
});
