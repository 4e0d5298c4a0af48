import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { freePort } from '../../../infra/process/free-port.ts';
import { noSshd, startSshd } from '../../../bench/support/sshd.ts';

vi.mock(import('../../../infra/process/free-port.ts'), async (load) => {
  const original = await load();
  return { ...original, freePort: vi.fn(original.freePort) };
});

it.skipIf(noSshd !== undefined)(
  `an sshd starts on another port if a server that answers like one took its port ${noSshd ?? ''}`,
  async () => {
    const somebody = createServer((socket) => socket.end('SSH-2.0-somebody\r\n')).listen(0, '127.0.0.1');
    await once(somebody, 'listening');
    const { port } = somebody.address() as AddressInfo;
    vi.mocked(freePort).mockResolvedValueOnce(port);
    const sshd = await startSshd();
    somebody.close();
    expect(sshd.port).not.toBe(port);
    await sshd.destroy();
  },
);
