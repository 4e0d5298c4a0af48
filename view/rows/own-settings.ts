import type { Overrides } from '../../domain/task/overrides.ts';

/** Describes the overrides of a research, such as `search.parent=best, keep.policy=strict`; null if it has none. */
export function describeOwnSettings(overrides: Overrides): string | null {
  const values = Object.entries(overrides).flatMap(([section, keys]) =>
    Object.entries(keys ?? {}).map(([key, value]) => `${section}.${key}=${textOf(value)}`),
  );
  return values.length === 0 ? null : values.join(', ');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
