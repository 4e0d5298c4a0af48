import { useEffect, useState } from 'react';

type Theme = 'light' | 'dark';
const KEY = 'perpetua-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

const stored = (): Theme | null => {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : null;
};
const current = (): Theme => stored() ?? (prefersDark.matches ? 'dark' : 'light');

/** Sets the theme of the document. */
export function applyTheme(theme: Theme = current()): void {
  document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event('themechange'));
}

/** Button that switches between light and dark. Until a person presses it, the theme follows the system's. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(current);
  useEffect(() => {
    const follow = () => {
      setTheme(current());
      applyTheme();
    };
    prefersDark.addEventListener('change', follow);
    return () => prefersDark.removeEventListener('change', follow);
  }, []);
  const other = theme === 'dark' ? 'light' : 'dark';
  const choose = () => {
    localStorage.setItem(KEY, other);
    setTheme(other);
    applyTheme(other);
  };
  return (
    <button type="button" className="button" onClick={choose}>
      {other === 'dark' ? 'Dark' : 'Light'}
    </button>
  );
}
