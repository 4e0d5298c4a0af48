import type { ReactNode } from 'react';
import { setParams, useAddress } from '../../router.ts';

/** A row of buttons of which one is selected. */
export function Choice<T extends string>({
  label,
  options,
  value,
  choose,
}: {
  label: string;
  options: readonly { value: T; words: string }[];
  value: T;
  choose: (value: T) => void;
}) {
  return (
    <span className="choice" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => choose(option.value)}
        >
          {option.words}
        </button>
      ))}
    </span>
  );
}

/** Choice between a drawing and its data as a table. The parameter `name` of the address holds it. */
export function useTableView(name: string): { asTable: boolean; toggle: ReactNode } {
  const asTable = useAddress().params.get(name) === 'table';
  const toggle = (
    <Choice
      label="Shown as"
      options={[
        { value: 'drawing', words: 'Drawing' },
        { value: 'table', words: 'Table' },
      ]}
      value={asTable ? 'table' : 'drawing'}
      choose={(value) => setParams({ [name]: value === 'table' ? 'table' : null })}
    />
  );
  return { asTable, toggle };
}
