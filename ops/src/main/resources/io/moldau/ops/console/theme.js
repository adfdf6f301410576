// Before anything is drawn, so that a dark page does not flash white.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('moldau.theme');
  } catch {
    // A browser that keeps nothing: the system's theme.
  }
  if (chosen === 'light' || chosen === 'dark') {
    document.documentElement.dataset.theme = chosen;
  }
})();
