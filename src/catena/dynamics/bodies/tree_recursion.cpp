#include <algorithm>

#include "catena/dynamics/bodies/tree_recursion_parts.h"

namespace catena {

using namespace tree_parts;

namespace {

#define CATENA_INLINE [[gnu::always_inline]] inline

template <class S>
CATENA_INLINE Vec3 times(const S& m, const Vec3& v) {
  return {m.xx * v[0] + m.xy * v[1] + m.xz * v[2], m.xy * v[0] + m.yy * v[1] + m.yz * v[2],
          m.xz * v[0] + m.yz * v[1] + m.zz * v[2]};
}
template <class M>
CATENA_INLINE Vec3 turned_by(const M& m, const Vec3& v) {
  return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}
template <class M>
CATENA_INLINE Vec3 turned_back(const M& m, const Vec3& v) {
  return v[0] * m.row[0] + v[1] * m.row[1] + v[2] * m.row[2];
}
template <class M>
CATENA_INLINE Vec3 column(const M& m, std::size_t j) {
  return {m.row[0][j], m.row[1][j], m.row[2][j]};
}
template <class S>
CATENA_INLINE void add_to(S& a, const S& b) {
  a.xx += b.xx;
  a.xy += b.xy;
  a.xz += b.xz;
  a.yy += b.yy;
  a.yz += b.yz;
  a.zz += b.zz;
}
// m - u v^T, where it is symmetric.
template <class S>
CATENA_INLINE void subtract_product(S& m, const Vec3& u, const Vec3& v) {
  m.xx -= u[0] * v[0];
  m.xy -= u[0] * v[1];
  m.xz -= u[0] * v[2];
  m.yy -= u[1] * v[1];
  m.yz -= u[1] * v[2];
  m.zz -= u[2] * v[2];
}
template <class S>
CATENA_INLINE Vec3 row_of(const S& m, std::size_t i) {
  return i == 0 ? Vec3{m.xx, m.xy, m.xz} : i == 1 ? Vec3{m.xy, m.yy, m.yz} : Vec3{m.xz, m.yz, m.zz};
}

// L D L^T of a symmetric matrix of N rows, lower triangle; diagonal: reciprocals.
template <int N>
struct Pivots {
  double lower[N][N], over[N];
};
template <int N>
CATENA_INLINE Pivots<N> pivots_of(double (&d)[N][N]) {
  Pivots<N> out;
  for (int j = 0; j < N; ++j) {
    out.over[j] = 1.0 / d[j][j];
    for (int i = j + 1; i < N; ++i) {
      out.lower[i][j] = d[i][j] * out.over[j];
      for (int k = j + 1; k <= i; ++k) d[i][k] -= out.lower[i][j] * d[k][j];
    }
  }
  return out;
}
template <int N>
CATENA_INLINE void solve(const Pivots<N>& of, double (&x)[N]) {
  for (int i = 1; i < N; ++i)
    for (int j = 0; j < i; ++j) x[i] -= of.lower[i][j] * x[j];
  for (int i = 0; i < N; ++i) x[i] *= of.over[i];
  for (int i = N - 1; i-- > 0;)
    for (int j = i + 1; j < N; ++j) x[i] -= of.lower[j][i] * x[j];
}

}  // namespace

// ---- bodies in the world, a register at a time ------------------------------------------------------------

void TreeRecursion::Parts::turn_bodies(const double* force, const double* torque) {
  const std::size_t s = stride;
  for (std::size_t b = 0; b < s; b += kWidth) {
    const auto at = [&](const double* rows, std::size_t c) { return load<kNativeWidth>(rows + c * s + b); };
    const Lanes w = at(state, kOrientation), x = at(state, kOrientation + 1), y = at(state, kOrientation + 2),
                z = at(state, kOrientation + 3);
    const Lanes ww = w * w, xx = x * x, yy = y * y, zz = z * z;
    const Lanes xy = x * y, xz = x * z, yz = y * z, wx = w * x, wy = w * y, wz = w * z;
    const Lanes r[3][3] = {{ww + xx - yy - zz, 2.0 * (xy - wz), 2.0 * (xz + wy)},
                           {2.0 * (xy + wz), ww - xx + yy - zz, 2.0 * (yz - wx)},
                           {2.0 * (xz - wy), 2.0 * (yz + wx), ww - xx - yy + zz}};
    const double* in_body = inertia.data() + b * 6;
    const double* frame = frames.data() + b * 9;
    const auto entry = [&](std::size_t k) { return load<kNativeWidth>(in_body + k * kWidth); };
    const auto axis = [&](std::size_t k) { return load<kNativeWidth>(frame + k * kWidth); };
    const Lanes i[3][3] = {
        {entry(0), entry(1), entry(2)}, {entry(1), entry(3), entry(4)}, {entry(2), entry(4), entry(5)}};
    const Lanes o[3] = {at(state, kRotation), at(state, kRotation + 1), at(state, kRotation + 2)};
    Lanes h[3], t[3];
    for (std::size_t k = 0; k < 3; ++k) h[k] = i[k][0] * o[0] + i[k][1] * o[1] + i[k][2] * o[2];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      t[k] = at(force, 3 + k) - (o[l] * h[m] - o[m] * h[l]);
    }
    double* to = turned.data() + b * kTurned;
    const auto put = [&](std::size_t c, const Lanes& value) { store<kNativeWidth>(to + c * kWidth, value); };
    Lanes half[3][3];  // R I
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t l = 0; l < 3; ++l) {
        put(kTurn + 3 * k + l, r[k][l]);
        put(kWork + 3 * k + l, r[k][0] * axis(l) + r[k][1] * axis(3 + l) + r[k][2] * axis(6 + l));
        half[k][l] = r[k][0] * i[0][l] + r[k][1] * i[1][l] + r[k][2] * i[2][l];
      }
      put(kSpin + k, r[k][0] * o[0] + r[k][1] * o[1] + r[k][2] * o[2]);
      put(kTorque + k, r[k][0] * t[0] + r[k][1] * t[1] + r[k][2] * t[2]);
      put(kForce + k, at(force, k));
      put(kWorkTorque + k, axis(k) * t[0] + axis(3 + k) * t[1] + axis(6 + k) * t[2]);
    }
    std::size_t c = kInertia;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = k; l < 3; ++l)
        put(c++, half[k][0] * r[l][0] + half[k][1] * r[l][1] + half[k][2] * r[l][2]);
  }
  for (std::size_t b = 0; b < count && torque != nullptr; ++b) {
    const Vec3 more{torque[b], torque[count + b], torque[2 * count + b]};
    const Vec3 at_work = turned_back(body_at(static_cast<int>(b)).work(), more);
    double* to = turned.data() + b / kWidth * kTurned * kWidth + b % kWidth;
    for (std::size_t c = 0; c < 3; ++c) {
      to[(kTorque + c) * kWidth] += more[c];
      to[(kWorkTorque + c) * kWidth] += at_work[c];
    }
  }
}

// ---- joints -----------------------------------------------------------------------------------------------

namespace {

template <Freedom F>
constexpr int kSlides = 0;
template <>
constexpr int kSlides<Freedom::slide> = 1;
template <>
constexpr int kSlides<Freedom::cylinder> = 1;
template <>
constexpr int kSlides<Freedom::plane> = 2;

template <Freedom F>
constexpr int kTurns = 1;
template <>
constexpr int kTurns<Freedom::universal> = 2;
template <>
constexpr int kTurns<Freedom::fixed> = 0;
template <>
constexpr int kTurns<Freedom::slide> = 0;

template <Freedom F>
constexpr bool kTurnsFreely = F == Freedom::ball || F == Freedom::lever;

// The axes that the joint leaves free to turn about, and by how much the second body's angular acceleration
// is ahead of the first one's: rows c of the joint's equations ask for c . (omega_b - omega_a) = 0, all
// along.
template <Freedom F>
CATENA_INLINE Vec3 find_turns(const Link& link, const Turned& a, const Turned& b, Joined& to) {
  const Vec3 wa = a.omega(), wb = b.omega(), relative = wb - wa;
  // A row u_a . w_b = const: its direction, and what its change takes from the relative acceleration.
  struct Row {
    Vec3 c;
    double left;
  };
  const auto row = [&](const Vec3& of_a, const Vec3& of_b) -> Row {
    return {cross(of_b, of_a), -dot(relative, cross(cross(wb, of_b), of_a) + cross(of_b, cross(wa, of_a)))};
  };
  const Vec3 bz = b.in_world(link.bz);
  if constexpr (F == Freedom::universal) {
    const Vec3 az = a.in_world(link.az);
    const Row only = row(az, bz);
    to.turn[0] = az;
    to.turn[1] = bz;
    return (only.left / dot(only.c, only.c)) * only.c;
  } else {
    const Vec3 ay = a.in_world(link.ay);
    const Row first = row(a.in_world(link.ax), bz), second = row(ay, bz);
    const Vec3 along = cross(first.c, second.c);
    if constexpr (kTurns<F> == 0) {
      const Row third = row(ay, b.in_world(link.bx));
      const double over = 1.0 / dot(along, third.c);
      return (first.left * over) * cross(second.c, third.c) + (second.left * over) * cross(third.c, first.c) +
             (third.left * over) * along;
    } else {
      to.turn[0] = along;
      const double over = 1.0 / dot(along, along);
      return (first.left * over) * cross(second.c, along) + (second.left * over) * cross(along, first.c);
    }
  }
}

}  // namespace

// From the child's centre of mass and from the parent's to the joint, and how far the child's acceleration
// there is ahead of the parent's.
template <Freedom F>
inline void TreeRecursion::Parts::find_joint(const Link& link, const Turned& child, const Turned& parent,
                                             Joined& to) const {
  const bool around = link.turned_around;
  const Turned &a = around ? child : parent, &b = around ? parent : child;
  to.child = child.in_world(link.child_point);
  to.parent = parent.in_world(link.parent_point);
  const Vec3 wc = child.omega(), wp = parent.omega();
  Vec3 coriolis{};
  if constexpr (kSlides < F >> 0) {
    // The second body's point, wherever it is along the first one.
    const Vec3 xc = place(link.body, kPosition), xp = place(link.parent, kPosition);
    const Vec3 point = around ? xp + to.parent : xc + to.child;
    to.child = point - xc;
    to.parent = point - xp;
    const Vec3 slip = place(link.body, kVelocity) + cross(wc, to.child) - place(link.parent, kVelocity) -
                      cross(wp, to.parent);
    coriolis = 2.0 * cross(a.omega(), slip);  // seen from the first body, whichever it is
    if constexpr (kSlides<F> == 2) {
      to.slide[0] = a.in_world(link.ax);
      to.slide[1] = a.in_world(link.ay);
    } else {
      to.slide[0] = a.in_world(link.az);
    }
  }
  to.ahead = coriolis + cross(wp, cross(wp, to.parent)) - cross(wc, cross(wc, to.child));
  if constexpr (!kTurnsFreely<F>) {
    const Vec3 turn = find_turns<F>(link, a, b, to);
    to.ahead_turn = around ? Vec3{} - turn : turn;
  }
}

// ---- leaves to root ---------------------------------------------------------------------------------------

namespace {

// H + M [d], and the inertia about a point at d from where it was: a = P + d x alpha.
CATENA_INLINE Matrix moved_coupling(const Symmetric& m, const Matrix& h, const Vec3& d) {
  return {{h.row[0] + cross(row_of(m, 0), d), h.row[1] + cross(row_of(m, 1), d),
           h.row[2] + cross(row_of(m, 2), d)}};
}
CATENA_INLINE Symmetric moved_inertia(const Symmetric& i, const Matrix& h, const Matrix& moved,
                                      const Vec3& d) {
  const Vec3 x = column(h, 0), y = column(h, 1), z = column(h, 2);
  const Vec3 mx = column(moved, 0), my = column(moved, 1), mz = column(moved, 2);
  const auto entry = [&](const Vec3& hi, std::size_t j, const Vec3& mj, std::size_t row) {
    const std::size_t k = (j + 1) % 3, l = (j + 2) % 3, r = (row + 1) % 3, t = (row + 2) % 3;
    return hi[k] * d[l] - hi[l] * d[k] - (d[r] * mj[t] - d[t] * mj[r]);
  };
  return {i.xx + entry(x, 0, mx, 0), i.xy + entry(x, 1, my, 0), i.xz + entry(x, 2, mz, 0),
          i.yy + entry(y, 1, my, 1), i.yz + entry(y, 2, mz, 1), i.zz + entry(z, 2, mz, 2)};
}

// W^T m W.
CATENA_INLINE Symmetric seen_from(const Matrix& w, const Symmetric& m) {
  const Vec3 x = column(w, 0), y = column(w, 1), z = column(w, 2);
  const Vec3 mx = times(m, x), my = times(m, y), mz = times(m, z);
  return {dot(x, mx), dot(x, my), dot(x, mz), dot(y, my), dot(y, mz), dot(z, mz)};
}
CATENA_INLINE Matrix seen_from(const Matrix& w, const Matrix& h) {
  const Vec3 x = column(w, 0), y = column(w, 1), z = column(w, 2);
  const Vec3 hx = turned_by(h, x), hy = turned_by(h, y), hz = turned_by(h, z);
  return {{Vec3{dot(x, hx), dot(x, hy), dot(x, hz)}, Vec3{dot(y, hx), dot(y, hy), dot(y, hz)},
           Vec3{dot(z, hx), dot(z, hy), dot(z, hz)}}};
}
// W m W^T.
CATENA_INLINE Symmetric back_from(const Matrix& w, const Symmetric& m) {
  const Vec3 x = times(m, w.row[0]), y = times(m, w.row[1]), z = times(m, w.row[2]);
  return {dot(w.row[0], x), dot(w.row[0], y), dot(w.row[0], z),
          dot(w.row[1], y), dot(w.row[1], z), dot(w.row[2], z)};
}

CATENA_INLINE Pivots<3> pivots_of(const Symmetric& m) {
  Pivots<3> out;
  out.over[0] = 1.0 / m.xx;
  out.lower[1][0] = m.xy * out.over[0];
  out.lower[2][0] = m.xz * out.over[0];
  out.over[1] = 1.0 / (m.yy - out.lower[1][0] * m.xy);
  const double yz = m.yz - out.lower[1][0] * m.xz;
  out.lower[2][1] = yz * out.over[1];
  out.over[2] = 1.0 / (m.zz - out.lower[2][0] * m.xz - out.lower[2][1] * yz);
  return out;
}
CATENA_INLINE Vec3 solved(const Pivots<3>& of, const Vec3& v) {
  double x[3] = {v[0], v[1], v[2]};
  solve(of, x);
  return {x[0], x[1], x[2]};
}

// Turning freely, with `h` the coupling of the three free motions to those of the joint: m and what is passed
// on become what the joint feels, if anybody does.
CATENA_INLINE void let_turn(const Symmetric& i, const Matrix& h, const Vec3& torque, bool is_root, Joined& to,
                            Symmetric& m, Vec3& passed) {
  const Pivots<3> pivots = pivots_of(i);
  const Vec3 alone = solved(pivots, torque);
  const Vec3 rows[3] = {solved(pivots, h.row[0]), solved(pivots, h.row[1]), solved(pivots, h.row[2])};
  for (std::size_t k = 0; k < 3; ++k) {
    to.turn[k] = rows[k];
    to.own[k] = alone[k];
  }
  if (is_root) return;
  m.xx -= dot(rows[0], h.row[0]);
  m.xy -= dot(rows[0], h.row[1]);
  m.xz -= dot(rows[0], h.row[2]);
  m.yy -= dot(rows[1], h.row[1]);
  m.yz -= dot(rows[1], h.row[2]);
  m.zz -= dot(rows[2], h.row[2]);
  for (std::size_t k = 0; k < 3; ++k) passed[k] -= dot(h.row[k], alone);
}

CATENA_INLINE Symmetric with_mass(Symmetric m, double mass) {
  m.xx += mass;
  m.yy += mass;
  m.zz += mass;
  return m;
}

}  // namespace

// A ball joint at P, and the end of the body at l along z of its own frame, where what hangs on it hangs. The
// free motions are the end's across the body, s, and the spin about it: alpha = ((P_y - s_y)/l, (s_x -
// P_x)/l, spin). What is heavy at the end then has a say in s and P_z alone, and nothing that is light is a
// difference.
inline void TreeRecursion::Parts::pull_lever(const Link& link, const Turned& body, Joined& to, Symmetric& m,
                                             Vec3& passed) const {
  const Carried& own = carried[static_cast<std::size_t>(link.body)];
  const Matrix w = body.work();
  const bool is_root = link.parent == kGround;
  const Symmetric heavy = with_mass(link.leaf ? Symmetric{} : seen_from(w, own.m), link.mass);
  Matrix h = link.own_coupling;
  Symmetric i = link.own_inertia;
  if (!link.one_ball) {
    const Matrix more = seen_from(w, own.h);
    for (std::size_t k = 0; k < 3; ++k) h.row[k] += more.row[k];
    add_to(i, seen_from(w, own.i));
  }
  // In this frame, where what does not turn the body about itself is zero.
  const Vec3 pushed = turned_back(w, body.vector(kForce));
  const Vec3 force = link.leaf ? pushed : turned_back(w, own.force) + pushed;
  Vec3 torque = body.vector(kWorkTorque) - cross(link.center, pushed);
  if (!link.one_ball) torque += turned_back(w, own.torque);
  const double u = link.over_length, uu = u * u;
  Symmetric k{uu * i.yy, -uu * i.xy, -u * h.row[2][1], uu * i.xx, u * h.row[2][0], heavy.zz};
  const Matrix coupling{{Vec3{-u * (h.row[0][1] + u * i.yy), -u * (h.row[1][1] - u * i.xy), -u * i.yz},
                         Vec3{u * (h.row[0][0] + u * i.xy), u * (h.row[1][0] - u * i.xx), u * i.xz},
                         Vec3{heavy.xz + u * h.row[2][1], heavy.yz - u * h.row[2][0], h.row[2][2]}}};
  const Symmetric free{heavy.xx + 2.0 * u * h.row[0][1] + uu * i.yy,
                       heavy.xy - u * h.row[0][0] + u * h.row[1][1] - uu * i.xy,
                       h.row[0][2] + u * i.yz,
                       heavy.yy - 2.0 * u * h.row[1][0] + uu * i.xx,
                       h.row[1][2] - u * i.xz,
                       i.zz};
  Vec3 joint{-u * torque[1], u * torque[0], force[2]};
  let_turn(free, coupling, {force[0] + u * torque[1], force[1] - u * torque[0], torque[2]}, is_root, to, k,
           joint);
  if (is_root) return;
  m = back_from(w, k);
  passed = turned_by(w, joint);
}

// What the body carries, itself included, seen from its joint; then what the parent feels of it.
template <Freedom F>
inline void TreeRecursion::Parts::inward(std::size_t at) {
  const Link& link = links[at];
  const Turned body = body_at(link.body), parent = body_at(link.parent);
  Joined& to = joined[at];
  find_joint<F>(link, body, parent, to);
  Symmetric m, i;
  Matrix h;
  Vec3 passed{}, passed_torque{};
  if constexpr (F == Freedom::lever) {
    pull_lever(link, body, to, m, passed);
  } else {
    const Carried& own = carried[static_cast<std::size_t>(link.body)];
    const Vec3& d = to.child;
    const Symmetric mass = with_mass({}, link.mass);
    const Symmetric inertia_here{body(kInertia),     body(kInertia + 1), body(kInertia + 2),
                                 body(kInertia + 3), body(kInertia + 4), body(kInertia + 5)};
    h = moved_coupling(mass, {}, d);
    i = moved_inertia(inertia_here, {}, h, d);
    m = with_mass(own.m, link.mass);
    Vec3 torque = own.torque;
    if constexpr (kSlides < F >> 0) {  // what it carries is at its centre of mass
      const Matrix moved = moved_coupling(own.m, own.h, d);
      add_to(i, moved_inertia(own.i, own.h, moved, d));
      for (std::size_t k = 0; k < 3; ++k) h.row[k] += moved.row[k];
      torque = torque - cross(d, own.force);
    } else {
      add_to(i, own.i);
      for (std::size_t k = 0; k < 3; ++k) h.row[k] += own.h.row[k];
    }
    const Vec3 pushed = body.vector(kForce), force = own.force + pushed;
    torque += body.vector(kTorque) - cross(d, pushed);
    passed = force;
    if constexpr (F == Freedom::ball) {
      let_turn(i, h, torque, link.parent == kGround, to, m, passed);
    } else {
      passed_torque = torque;
      constexpr int kSlide = kSlides<F>, kFree = kSlide + kTurns<F>;
      if constexpr (kFree > 0) {
        Vec3 u[kFree], ut[kFree];  // inertia times each free motion
        double right[kFree], across[kFree][kFree];
        for (int k = 0; k < kFree; ++k) {
          const Vec3& axis = k < kSlide ? to.slide[k] : to.turn[k - kSlide];
          u[k] = k < kSlide ? times(m, axis) : turned_by(h, axis);
          ut[k] = k < kSlide ? turned_back(h, axis) : times(i, axis);
          right[k] = dot(axis, k < kSlide ? force : torque);
          for (int l = 0; l <= k; ++l) across[k][l] = dot(axis, k < kSlide ? u[l] : ut[l]);
        }
        const Pivots<kFree> pivots = pivots_of<kFree>(across);
        solve<kFree>(pivots, right);
        double from[6][kFree];
        for (int k = 0; k < kFree; ++k) {
          for (std::size_t c = 0; c < 3; ++c) {
            from[c][k] = u[k][c];
            from[3 + c][k] = ut[k][c];
          }
        }
        for (auto& each : from) solve<kFree>(pivots, each);
        for (int k = 0; k < kFree; ++k) {
          const Vec3 v{from[0][k], from[1][k], from[2][k]}, vt{from[3][k], from[4][k], from[5][k]};
          for (std::size_t c = 0; c < 6; ++c) to.from[k][c] = from[c][k];
          to.own[k] = right[k];
          subtract_product(m, u[k], v);
          for (std::size_t c = 0; c < 3; ++c) h.row[c] = h.row[c] - u[k][c] * vt;
          subtract_product(i, ut[k], vt);
          passed = passed - right[k] * u[k];
          passed_torque = passed_torque - right[k] * ut[k];
        }
      }
    }
  }
  if (link.parent == kGround) return;
  Carried& above = carried[static_cast<std::size_t>(link.parent)];
  if (kTurnsFreely<F> && link.at_end) {  // the joint is the parent's reference, and no torque counts there
    above.m = m;
    above.force = passed - times(m, to.ahead);
    return;
  }
  // From the joint to the parent's reference: P = a - e x alpha.
  Vec3 way = parent.in_world(link.offset);
  if constexpr (kSlides < F >> 0) way = way + to.parent - parent.in_world(link.parent_point);
  const Vec3 back = Vec3{} - way;
  passed = passed - times(m, to.ahead);
  if constexpr (kTurnsFreely<F>) {
    h = {};
    i = {};
  } else {
    passed = passed - turned_by(h, to.ahead_turn);
    passed_torque = passed_torque - turned_back(h, to.ahead) - times(i, to.ahead_turn);
  }
  const Matrix coupling = moved_coupling(m, h, back);
  add_to(above.m, m);
  for (std::size_t k = 0; k < 3; ++k) above.h.row[k] += coupling.row[k];
  add_to(above.i, moved_inertia(i, h, coupling, back));
  above.force += passed;
  above.torque += passed_torque + cross(way, passed);
}

// A body that hangs on nothing: six equations at its centre of mass.
void TreeRecursion::Parts::release(std::size_t at) {
  const Link& link = links[at];
  const Turned body = body_at(link.body);
  const Carried& own = carried[static_cast<std::size_t>(link.body)];
  const Symmetric m = with_mass(own.m, link.mass);
  const Symmetric i{own.i.xx + body(kInertia),     own.i.xy + body(kInertia + 1),
                    own.i.xz + body(kInertia + 2), own.i.yy + body(kInertia + 3),
                    own.i.yz + body(kInertia + 4), own.i.zz + body(kInertia + 5)};
  double all[6][6];
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 upper = row_of(m, k), lower = row_of(i, k);
    for (std::size_t l = 0; l < 3; ++l) {
      all[k][l] = upper[l];
      all[3 + k][3 + l] = lower[l];
      all[3 + l][k] = all[k][3 + l] = own.h.row[k][l];
    }
  }
  const Vec3 force = own.force + body.vector(kForce), torque = own.torque + body.vector(kTorque);
  double x[6] = {force[0], force[1], force[2], torque[0], torque[1], torque[2]};
  solve<6>(pivots_of<6>(all), x);
  found[static_cast<std::size_t>(link.body)] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

// ---- root to leaves ---------------------------------------------------------------------------------------

template <Freedom F>
inline void TreeRecursion::Parts::outward(std::size_t at) {
  const Link& link = links[at];
  const Joined& from = joined[at];
  Vec3 linear = from.ahead, angular = from.ahead_turn;
  if (link.parent != kGround) {
    const Acceleration& parent = found[static_cast<std::size_t>(link.parent)];
    linear += parent.linear - cross(from.parent, parent.angular);
    angular += parent.angular;
  }
  if constexpr (kTurnsFreely<F>) {
    const Turned body = body_at(link.body);
    const Vec3 seen = F == Freedom::lever ? turned_back(body.work(), linear) : linear;
    Vec3 free;
    for (std::size_t k = 0; k < 3; ++k)
      free[k] =
          from.own[k] - from.turn[0][k] * seen[0] - from.turn[1][k] * seen[1] - from.turn[2][k] * seen[2];
    if constexpr (F == Freedom::lever) {
      const double u = link.over_length;
      angular = turned_by(body.work(), {u * (seen[1] - free[1]), u * (free[0] - seen[0]), free[2]});
    } else {
      angular = free;
    }
  } else {
    constexpr int kSlide = kSlides<F>, kFree = kSlide + kTurns<F>;
    double rate[kFree + 1];
    for (int k = 0; k < kFree; ++k) {
      const double* f = from.from[k];
      rate[k] = from.own[k] - (f[0] * linear[0] + f[1] * linear[1] + f[2] * linear[2]) -
                (f[3] * angular[0] + f[4] * angular[1] + f[5] * angular[2]);
    }
    for (int k = 0; k < kFree; ++k) {
      if (k < kSlide) {
        linear += rate[k] * from.slide[k];
      } else {
        angular += rate[k] * from.turn[k - kSlide];
      }
    }
  }
  found[static_cast<std::size_t>(link.body)] = {linear + cross(from.child, angular), angular};
}

namespace {

// Calls act with the freedom as a constant.
template <class Act>
CATENA_INLINE void by_freedom(Freedom freedom, Act&& act) {
  switch (freedom) {
    case Freedom::lever:
      return act.template operator()<Freedom::lever>();
    case Freedom::ball:
      return act.template operator()<Freedom::ball>();
    case Freedom::hinge:
      return act.template operator()<Freedom::hinge>();
    case Freedom::universal:
      return act.template operator()<Freedom::universal>();
    case Freedom::fixed:
      return act.template operator()<Freedom::fixed>();
    case Freedom::slide:
      return act.template operator()<Freedom::slide>();
    case Freedom::cylinder:
      return act.template operator()<Freedom::cylinder>();
    case Freedom::plane:
      return act.template operator()<Freedom::plane>();
    case Freedom::free:
      return act.template operator()<Freedom::free>();
  }
}

}  // namespace

void TreeRecursion::accelerations(const double* state, const double* force, const double* torque,
                                  double* out) {
  Parts& of = *parts_;
  of.state = state;
  of.turn_bodies(force, torque);
  std::fill(of.carried.begin(), of.carried.end(), Carried{});
  for (std::size_t k = of.links.size(); k-- > 0;) {
    by_freedom(of.links[k].freedom, [&]<Freedom F>() {
      if constexpr (F == Freedom::free) {
        of.release(k);
      } else {
        of.inward<F>(k);
      }
    });
  }
  for (std::size_t k = 0; k < of.links.size(); ++k) {
    by_freedom(of.links[k].freedom, [&]<Freedom F>() {
      if constexpr (F != Freedom::free) of.outward<F>(k);
    });
  }
  // Angular ones in the bodies' frames.
  for (std::size_t b = 0; b < of.count; ++b) {
    const Turned body = of.body_at(static_cast<int>(b));
    const auto& [linear, angular] = of.found[b];
    for (std::size_t c = 0; c < 3; ++c) {
      out[c * of.stride + b] = linear[c];
      out[(3 + c) * of.stride + b] =
          body(c) * angular[0] + body(3 + c) * angular[1] + body(6 + c) * angular[2];
    }
  }
}

#undef CATENA_INLINE

}  // namespace catena
