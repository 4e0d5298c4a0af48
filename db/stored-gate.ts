import type { GateConfig, GateState } from '../domain/gate/types.ts';
import { KEEPS } from '../domain/search/keep.ts';
import { parentRuleOf } from '../domain/search/parent/table.ts';
import { UnknownMethod } from '../domain/method/unknown-method.ts';
import { DamagedRowError } from './damaged.ts';

interface Stored {
  id: string;
  gate: GateState;
  gateConfig: GateConfig;
}

/**
 * A research's row with its gate settings in the form of this version. Throws UnknownMethod for a gate of a newer
 * version, and DamagedRowError for a value that no version stored.
 */
export function withValidGate<Row extends Stored>(row: Row): Row {
  const { id, gate } = row;
  const gateConfig = readConfig(row.gateConfig);
  if (isNewer(gate)) throw new UnknownMethod('gate', `version ${gate.version}`, ['version 1']);
  if (!isGate(gate))
    throw new DamagedRowError(`researches ${id}`, {
      column: 'gate',
      expected: "a gate's state of version 1",
      got: gate,
    });
  if (!isConfig(gateConfig))
    throw new DamagedRowError(`researches ${id}`, {
      column: 'gate_config',
      expected: "a gate's settings",
      got: gateConfig,
    });
  if (!Object.hasOwn(KEEPS, gateConfig.policy))
    throw new UnknownMethod('keep.policy', gateConfig.policy, Object.keys(KEEPS));
  return { ...row, gateConfig };
}

/** Converts settings of 0.1, which stored the parent rule instead of `followsLead`. */
function readConfig(stored: Partial<GateConfig> & { parent?: unknown }): GateConfig {
  const { parent, ...config } = stored ?? {};
  if (parent === undefined || config.followsLead !== undefined) return config as GateConfig;
  return { ...config, followsLead: parentRuleOf(parent).method.followsLead } as GateConfig;
}

const isNewer = (gate: { version: number } | null): boolean => typeof gate?.version === 'number' && gate.version > 1;

const LISTS = ['subjects', 'trail', 'races', 'probes', 'queue', 'held', 'gathering', 'asked'] as const;

const isGate = (gate: Partial<GateState> | null): boolean =>
  gate?.version === 1 &&
  LISTS.every((name) => Array.isArray(gate[name])) &&
  typeof gate.baseline?.series?.n === 'number' &&
  typeof gate.noise?.df === 'number' &&
  typeof gate.baselineId === 'string';

const isConfig = (config: Partial<GateConfig> | null): boolean =>
  typeof config?.policy === 'string' && typeof config.direction === 'string' && typeof config.followsLead === 'boolean';
