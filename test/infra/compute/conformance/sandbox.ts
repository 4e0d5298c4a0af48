import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { shellQuote } from '../../../../domain/text/shell-quote.ts';
import { specOf, eventsOf, type Bench } from './support.ts';

/** A secret that no run may read. The tests put it into files and into environments outside the sandbox. */
export const SECRET = 'conformance-secret-4713';

const CONNECT = `node -e '
  const s = require("net").connect(Number(process.argv[1]), "127.0.0.1");
  s.on("connect", () => { console.log("connected"); process.exit(); });
  s.on("error", (e) => { console.log("refused"); process.exit(); });
'`;

const CONNECT_TO_ITSELF = `node -e '
  const net = require("net");
  const server = net.createServer().listen(0, "127.0.0.1", () =>
    net.connect(server.address().port, "127.0.0.1", () => { console.log("connected"); process.exit(); }));
'`;

/**
 * Lets every user read the folders, so that only the sandbox keeps a run out.
 * Returns a function that restores the modes.
 */
function openUp(folders: string[]): () => void {
  const modes = folders.map((folder) => statSync(folder).mode);
  folders.forEach((folder, index) => chmodSync(folder, (modes[index] ?? 0) | 0o055));
  return () => folders.forEach((folder, index) => chmodSync(folder, modes[index] ?? 0));
}

/** A folder and its parents, from `top` down. */
const upTo = (top: string, folder: string): string[] =>
  folder === top ? [top] : [...upTo(top, dirname(folder)), folder];

/** The suite's tests of the sandbox. For adapters that let runs read the parent folder of the scratch folder. */
export function sandboxTests({ compute, stages, run }: Bench): void {
  const inside = async (command: string): Promise<string> =>
    (await run(`${command}; echo over`, { sandbox: 'required' })).text;
  const scratch = (): string => dirname(stages());
  const shown = (): string => dirname(scratch());

  beforeEach(async ({ skip }) => {
    const { sandboxed, notes } = await compute().protections('required');
    skip(!sandboxed, `no sandbox here: ${notes.join('; ')}`);
  });

  it('hides the scratch folder, though it lies in a folder that runs may read', async () => {
    writeFileSync(join(shown(), 'seen.txt'), 'seen\n');
    writeFileSync(join(scratch(), 'kept.txt'), SECRET);
    const look =
      `cat ${shellQuote(join(shown(), 'seen.txt'))}; find ${shellQuote(scratch())} -type f; ` +
      `grep -r ${SECRET} ${shellQuote(scratch())}`;
    const found = ['seen\n', `${scratch()}/kept.txt\n`, `${stages()}/stage1/files/tool\n`, `kept.txt:${SECRET}`];
    // The control: outside the sandbox, each of these commands finds it.
    const here = spawnSync('sh', ['-c', look], { encoding: 'utf8' }).stdout;
    for (const line of found) expect(here).toContain(line);
    const close = openUp(upTo(scratch(), join(stages(), 'stage1', 'files')));
    const text = await inside(look).finally(close);
    expect(text).toMatch(/^seen\n[^]*over\n$/);
    for (const line of found.slice(1)) expect(text).not.toContain(line);
  });

  it("hides another run's directory, and lets no run write there", async () => {
    const other = specOf(`echo ${SECRET} > secret; pwd; exec sleep 4403`, { sandbox: 'required' });
    await compute().launch(other);
    let there = '';
    for await (const event of eventsOf(compute(), other)) {
      if (event.type === 'output') there = Buffer.from(event.chunk).toString().trim();
      break;
    }
    expect(readFileSync(join(there, 'secret'), 'utf8')).toContain(SECRET);
    const close = openUp(upTo(scratch(), there));
    const text = await inside(
      `ls ${shellQuote(there)}; cat ${shellQuote(there)}/secret; echo x > ${shellQuote(there)}/x`,
    ).finally(close);
    const isWritten = existsSync(join(there, 'x'));
    await compute().kill(other, other.fence);
    expect(text).toMatch(/over\n$/);
    expect(text).not.toContain('main.txt');
    expect(text).not.toContain(SECRET);
    expect(isWritten).toBe(false);
  });

  it('hides a folder that was passed to hide()', async () => {
    const folder = join(shown(), 'task');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'answers.txt'), SECRET);
    const look = `cat ${shellQuote(join(folder, 'answers.txt'))}`;
    // The control: a run can read the file before.
    expect(await inside(look)).toContain(SECRET);
    await compute().hide(folder);
    expect(await inside(look)).not.toContain(SECRET);
  });

  it('lets no run connect to a port of the machine', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // The control: the port is open outside the sandbox.
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    const text = await inside(`${CONNECT} ${port}`);
    server.close();
    expect(text).toBe('refused\nover\n');
  });

  it('gives a program its own loopback, its streams by name, and a named user', async () => {
    const text = await inside(`${CONNECT_TO_ITSELF}; echo out >/dev/stdout; whoami; echo "$USER $LOGNAME"`);
    expect(text).toBe('connected\nout\nperpetua\nperpetua perpetua\nover\n');
    expect((await compute().protections('required')).exposure).toContain('beyond its own loopback');
  });

  it("hides the environment of the host's user, and of other processes", async () => {
    const other = spawn('sleep', ['4404'], { env: { PATH: '/usr/bin:/bin', OPENAI_API_KEY: SECRET } });
    await once(other, 'spawn');
    // The control: the environment is readable outside the sandbox, once the program has started.
    await expect.poll(() => readFileSync(`/proc/${other.pid}/environ`, 'utf8')).toContain(SECRET);
    const text = await inside(`env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; kill -0 ${other.pid} || echo none`);
    other.kill('SIGKILL');
    expect(text).toMatch(/none\nover\n$/);
    expect(text).not.toContain(SECRET);
  });
}
