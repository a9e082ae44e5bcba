// Stands in the place of the theme's script of 1.5 MB, which draws icons that its style sheet and fonts draw too.
