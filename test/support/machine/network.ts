import { execFileSync, spawnSync } from 'node:child_process';

/** A network namespace of its own, joined to this machine by a cable that can be pulled. */
export interface TestNetwork {
  /** Its address, as seen from here. */
  address: string;
  /** What a program is started with, so that it runs in there. */
  enter: string[];
  /** Nothing gets through any more, and nobody is told. */
  pull(): void;
  plugIn(): void;
  destroy(): void;
}

/** Makes one; at most 250 at a time. */
export function makeNetwork(): TestNetwork {
  // Tests of other processes make theirs at the same time.
  for (let third = 1; third <= 250; third += 1) {
    const name = `perpetua-${third}`;
    const added = spawnSync('ip', ['netns', 'add', name]);
    if (added.error) throw added.error;
    if (added.status === 0) return join(name, third);
    const why = String(added.stderr).trim();
    if (!why.includes('File exists')) throw new Error(why);
  }
  throw new Error('Expected a free number of a network namespace; `ip netns del perpetua-N` removes an old one');
}

const ip = (...words: string[]): void => void execFileSync('ip', words, { stdio: 'pipe' });

function join(name: string, third: number): TestNetwork {
  try {
    return cable(name, third);
  } catch (error) {
    ip('netns', 'del', name);
    throw error;
  }
}

function cable(name: string, third: number): TestNetwork {
  const [here, there] = [`pp${third}a`, `pp${third}b`];
  // The last one of this number goes a moment after its namespace.
  spawnSync('ip', ['link', 'del', here]);
  const [ours, address] = [`10.213.${third}.1`, `10.213.${third}.2`];
  ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
  ip('addr', 'add', `${ours}/30`, 'dev', here);
  ip('link', 'set', here, 'up');
  for (const device of ['lo', there]) ip('-n', name, 'link', 'set', device, 'up');
  ip('-n', name, 'addr', 'add', `${address}/30`, 'dev', there);
  return {
    address,
    enter: ['ip', 'netns', 'exec', name],
    // The far end: the near one would tell that there is no route.
    pull: () => ip('-n', name, 'link', 'set', there, 'down'),
    plugIn: () => ip('-n', name, 'link', 'set', there, 'up'),
    destroy: () => ip('netns', 'del', name),
  };
}

/** Why there are no network namespaces for tests; undefined where there are: tried with one. */
export const noNetworks = ((): string | undefined => {
  try {
    const network = makeNetwork();
    try {
      const [program = '', ...words] = [...network.enter, 'true'];
      execFileSync(program, words, { stdio: 'pipe' });
    } finally {
      network.destroy();
    }
    return undefined;
  } catch (error) {
    return `(network namespaces need root and \`ip\` of iproute2: ${String(error).split('\n')[0]})`;
  }
})();
