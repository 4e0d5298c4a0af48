import type { GateConfig, GateState } from '../domain/gate/types.ts';
import { DamagedRowError } from './damaged.ts';

interface Stored {
  id: string;
  gate: GateState;
  gateConfig: GateConfig;
}

/** A research's row, if its gate is one that this version reads; throws DamagedRowError. */
export function withSoundGate<Row extends Stored>(row: Row): Row {
  const { id, gate, gateConfig } = row;
  if (!isGate(gate))
    throw new DamagedRowError(`researches ${id}`, {
      column: 'gate',
      expected: "a gate's state of version 1",
      came: gate,
    });
  if (!isConfig(gateConfig))
    throw new DamagedRowError(`researches ${id}`, {
      column: 'gate_config',
      expected: "a gate's settings",
      came: gateConfig,
    });
  return row;
}

const LISTS = ['subjects', 'trail', 'races', 'probes', 'queue', 'held', 'gathering', 'asked'] as const;

const isGate = (gate: Partial<GateState> | null): boolean =>
  gate?.version === 1 &&
  LISTS.every((name) => Array.isArray(gate[name])) &&
  typeof gate.baseline?.series?.n === 'number' &&
  typeof gate.noise?.df === 'number' &&
  typeof gate.baselineId === 'string';

const isConfig = (config: Partial<GateConfig> | null): boolean =>
  typeof config?.policy === 'string' && typeof config.direction === 'string' && typeof config.parent === 'string';
