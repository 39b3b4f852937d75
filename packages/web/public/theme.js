// Runs before the first paint, as a file of its own because the content security policy allows no inline script.
try {
  const theme = localStorage.getItem('reeve-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is refused in some private windows; the system's theme is used then.
}
