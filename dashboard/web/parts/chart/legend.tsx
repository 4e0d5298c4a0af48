import type { DotGroup, Ink, Layer } from './layers.ts';
import { formatInteger } from '../numbers.ts';

interface Entry {
  label: string;
  ink: Ink;
  group?: DotGroup;
  count?: number;
  dash?: boolean;
  band?: boolean;
}

interface Props {
  layers: readonly Layer[];
  hidden: ReadonlySet<string>;
  onToggle: (label: string) => void;
}

/** Legend of shapes and lines, with numbers of points. A click on an entry hides or shows its layer or group. */
export function Legend({ layers, hidden, onToggle }: Props) {
  const entries = entriesOf(layers);
  if (entries.length === 0) return null;
  return (
    <ul className="legend">
      {entries.map(({ label, count, ...sign }) => (
        <li key={label}>
          <button type="button" aria-pressed={!hidden.has(label)} onClick={() => onToggle(label)}>
            <Sign label={label} {...sign} />
            {label}
            {count === undefined ? null : <span className="quiet">{formatInteger(count)}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Sign({ ink, group, dash, band }: Entry) {
  const colour = `var(${ink})`;
  if (!group) {
    return (
      <svg width="18" height="12" viewBox="0 0 18 12" aria-hidden="true">
        {band ? <rect y="1" width="18" height="10" fill={colour} opacity="0.2" /> : null}
        <path d="M0 6H18" stroke={colour} strokeWidth="2" strokeDasharray={dash ? '4 3' : undefined} />
      </svg>
    );
  }
  const { path, filled } = group.shape;
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={path} fill={filled ? colour : 'none'} stroke={colour} strokeWidth="1.6" strokeLinejoin="round" />
    </svg>
  );
}

/** Entries of the legend: the layers from the top one down, then the groups of dots. Empty groups are left out. */
function entriesOf(layers: readonly Layer[]): Entry[] {
  const lines = layers.filter(({ kind }) => kind !== 'dots').toReversed();
  return [...lines, ...layers.filter(({ kind }) => kind === 'dots')].flatMap((layer): Entry[] => {
    if (layer.unlisted) return [];
    if (layer.kind === 'dots') {
      const counts = layer.groups.map(() => 0);
      for (const group of layer.group) counts[group] = (counts[group] ?? 0) + 1;
      return layer.groups.flatMap((group, index) => {
        const count = group.count ?? counts[index] ?? 0;
        return count === 0 ? [] : [{ label: group.label, ink: group.ink, group, count }];
      });
    }
    if (layer.kind === 'mark' || (layer.kind !== 'level' && layer.x.length === 0)) return [];
    const { label, ink } = layer;
    const band = layer.kind === 'level' ? Boolean(layer.spread) : layer.kind !== 'bars' && layer.low !== undefined;
    return [{ label, ink, band, dash: layer.kind !== 'bars' && (layer.dash?.length ?? 0) > 0 }];
  });
}
