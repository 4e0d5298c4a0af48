import type { Spend } from '../../../api/spend.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';
import { barsDrawing } from '../../../../view/figure/drawings/bars.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { stemOf, type ExportedView } from '../../../../view/figure/exported-view.ts';
import { describeRates } from '../../../../view/rows/rates.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { limitTexts, type Stretch, type Unit } from './units.ts';

interface ViewOptions {
  /** Null: all researches. */
  research: string | null;
  stretch: Stretch;
  unit: Unit;
  at?: Date;
}

/** Limit of ticks below the bars. */
const TICKS = 8;

/** Exported view of the spend. */
export function spendView(spend: Spend, { research, stretch, unit, at = new Date() }: ViewOptions): ExportedView {
  const { total, models, rates, hours, researches, budgets, savedSeconds } = spend;
  const scope = research === null ? 'all researches' : visibleLine(research, 200);
  const each = Math.max(1, Math.ceil(hours.at.length / TICKS));
  return {
    stem: stemOf('perpetua-spend', ...(research === null ? [] : [research])),
    title: 'Spend',
    subtitle: `Of ${scope}`,
    at,
    facts: [
      { label: 'Money', value: formatUsd(total.usd) },
      { label: 'Tokens read', value: formatCount(total.tokensIn) },
      { label: 'Tokens written', value: formatCount(total.tokensOut) },
      { label: 'Model calls', value: formatCount(total.calls) },
      ...(rates === null ? [] : [{ label: 'Call rates', value: describeRates(rates) }]),
      { label: 'Time on slots', value: formatSeconds(total.slotSeconds) },
      { label: 'Saved by early abort', value: formatSeconds(savedSeconds) },
    ],
    drawings: [
      barsDrawing(
        {
          title: `Spend of ${scope} by ${stretch}`,
          width: 960,
          height: 300,
          values: hours[unit.value],
          label: unit.label,
          format: unit.format,
          ticks: hours.at.flatMap((from, index) =>
            index % each === 0 ? [{ index, words: from.slice(5, stretch === 'day' ? 10 : 16).replace('T', ' ') }] : [],
          ),
        },
        paperPalette,
      ),
    ],
    sections: [
      {
        title: 'Budgets',
        table: {
          columns: ['research', 'limit', 'spent', 'of', 'forecast'],
          rows: budgets.map((budget) => {
            const texts = limitTexts(budget.limit, budget.spent, budget.of);
            return [visibleLine(budget.research), budget.limit, texts.spent, texts.total, budget.words];
          }),
        },
        numbers: [2, 3],
        empty: 'No research has a limit.',
      },
      {
        title: 'By research',
        table: {
          columns: ['research', 'USD', 'tokens', 'time on slots', 'trials'],
          rows: researches.map(({ id, usd, tokens, slotSeconds, trials }) => [
            id === null ? 'checks' : visibleLine(id),
            formatUsd(usd),
            formatCount(tokens),
            formatSeconds(slotSeconds),
            trials,
          ]),
        },
        numbers: [1, 2, 3, 4],
      },
      {
        title: 'By model',
        table: {
          columns: ['model', 'calls', 'repeated', 'tokens read', 'tokens written', 'USD', 'without a price'],
          rows: models.map((model) => [
            visibleLine(model.model),
            model.calls,
            model.repeated,
            model.tokensIn,
            model.tokensOut,
            formatUsd(model.usd),
            model.unpriced,
          ]),
        },
        numbers: [1, 2, 3, 4, 5, 6],
        empty: 'No model has been called.',
      },
    ],
    data: {
      columns: ['from', 'usd', 'tokens', 'slot_seconds'],
      rows: hours.at.map((from, index) => [from, hours.usd[index], hours.tokens[index], hours.slotSeconds[index]]),
    },
  };
}
