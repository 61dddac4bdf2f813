import numpy as np
x = np.sin(np.linspace(0, 2 * np.pi, 16, endpoint=False))
print(np.abs(np.fft.rfft(x)).round(6), np.fft.ifft(np.fft.fft([1, 2, 3])).real.round(6), np.fft.fftfreq(4))
p = np.polynomial.Polynomial([1, 2, 3]); print(p(2), p.deriv(), p.roots().round(6))
print(np.roots([1, -3, 2]), np.polyval([1, 2], 3), np.convolve([1, 2], [1, 1]), np.interp(1.5, [1, 2], [10, 20]), np.trapezoid([1, 2, 3]))
