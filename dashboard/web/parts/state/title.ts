import { useEffect } from 'react';

/** Title of the tab: `(2) nano-lm · Perpetua`. */
export const titleOf = (name: string | null, needs: number): string =>
  `${needs > 0 ? `(${needs}) ` : ''}${name === null ? '' : `${name} · `}Perpetua`;

/** Sets the title of the tab while the component is shown. `needs`: number of entries that need a person. */
export function useTitle(name: string | null, needs: number): void {
  useEffect(() => {
    document.title = titleOf(name, needs);
    return () => {
      document.title = 'Perpetua';
    };
  }, [name, needs]);
}
