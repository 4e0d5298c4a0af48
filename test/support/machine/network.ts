import { execFileSync, spawnSync } from 'node:child_process';

/** A network namespace, joined to this machine by a virtual cable that can be pulled. */
export interface TestNetwork {
  /** Address of the namespace, as seen from here. */
  address: string;
  /** First words of a command line that runs a program in the namespace. */
  enter: string[];
  /** Stops all traffic, silently. */
  pull(): void;
  plugIn(): void;
  destroy(): void;
}

/** Makes a network; at most 250 at a time. */
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
  // The last cable of this number goes a moment after its namespace.
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
    // Pulls the far end: without the near end, connections would fail with "no route" at once.
    pull: () => ip('-n', name, 'link', 'set', there, 'down'),
    plugIn: () => ip('-n', name, 'link', 'set', there, 'up'),
    destroy: () => ip('netns', 'del', name),
  };
}

/** Reason why tests have no network namespaces; undefined if they have. One is made to find out. */
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
