import type { TableData } from './chart-table.tsx';
import { hasPoints, type Layer, type Point } from './layers.ts';

interface TableOptions {
  xName: string;
  yName: string;
  xText: (value: number) => string;
  yText: (value: number) => string;
  hrefOf?: ((point: Point) => string | undefined) | undefined;
}

/** A table with a row for every point of every layer, every level and every mark. */
export function layersTable(layers: readonly Layer[], { xName, yName, xText, yText, hrefOf }: TableOptions): TableData {
  const rows = layers.flatMap((layer, at): TableData['rows'][number][] => {
    if (layer.kind === 'level') {
      const spread = layer.spread ? ` ± ${yText(layer.spread)}` : '';
      return [{ cells: ['all', layer.label, `${yText(layer.y)}${spread}`] }];
    }
    if (!hasPoints(layer)) return [{ cells: [xText(layer.x), layer.label, ''] }];
    return Array.from(layer.x, (x, index) => {
      const href = hrefOf?.({ layer: at, index });
      const value = layer.y[index] ?? null;
      const label = layer.kind === 'dots' ? (layer.groups[layer.group[index] ?? -1]?.label ?? '') : layer.label;
      const cells = [
        xText(x),
        label,
        value === null ? 'no value' : `${yText(value)}${intervalOf(layer, { index, yText })}`,
      ];
      return href === undefined ? { cells } : { cells, href };
    });
  });
  return { head: [xName, 'series', yName], rows };
}

function intervalOf(layer: Layer, { index, yText }: { index: number; yText: (value: number) => string }): string {
  if (layer.kind !== 'line' && layer.kind !== 'step') return '';
  const [low, high] = [layer.low?.[index] ?? null, layer.high?.[index] ?? null];
  return low === null || high === null ? '' : ` (${yText(low)} to ${yText(high)})`;
}
