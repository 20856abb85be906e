#include "figure/project.h"

#include "tests/support.h"

namespace project_test {

using namespace helix;
using namespace helix::figure;
using Catch::Approx;
using helix::testing::Dice;

namespace {

std::vector<Vec3> cloud(unsigned seed, std::size_t n = 40) {
  Dice dice(seed);
  std::vector<Vec3> points(n);
  for (Vec3& p : points) p = {3 * dice.normal(), 2 * dice.normal(), dice.normal()};
  return points;
}

Mat3 rotation(double about_z, double about_x) {
  const double a = std::cos(about_z), b = std::sin(about_z), c = std::cos(about_x), d = std::sin(about_x);
  return {{{a, -b, 0}, {c * b, c * a, -d}, {d * b, d * a, c}}};
}

std::vector<Vec3> moved(const Mat3& m, const std::vector<Vec3>& points) {
  std::vector<Vec3> out;
  for (const Vec3& p : points) out.push_back(apply(m, p));
  return out;
}

void check_same(const Mat3& a, const Mat3& b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) CHECK(a[i][j] == Approx(b[i][j]).margin(1e-9));
}

constexpr Rect kRect{100, 50, 400, 200};

}  // namespace

TEST_CASE("the default camera shows what matplotlib's elev 20, azim 45 shows", "[figure][project]") {
  const Projection p = project(Camera(), kIdentity, kRect, 1);
  const Point centre = p.at({0, 0, 0});
  CHECK(centre.x == 300);
  CHECK(centre.y == 150);
  CHECK(p.scale == Approx(100));  // half the shorter side for a radius of 1
  const double s = std::sqrt(0.5), sin20 = std::sin(20 * std::numbers::pi / 180),
               cos20 = std::cos(20 * std::numbers::pi / 180);
  const Point x = p.at({1, 0, 0}), y = p.at({0, 1, 0}), z = p.at({0, 0, 1});
  CHECK(x.x - centre.x == Approx(-100 * s));
  CHECK(x.y - centre.y == Approx(100 * s * sin20));
  CHECK(y.x - centre.x == Approx(100 * s));
  CHECK(y.y - centre.y == Approx(100 * s * sin20));
  CHECK(z.x - centre.x == Approx(0).margin(1e-4));
  CHECK(z.y - centre.y == Approx(-100 * cos20));  // up on the page
  CHECK(p.depth({1, 1, 0}) < 0);                  // towards the eye
  CHECK(p.depth({-1, -1, 0}) > 0);
}

TEST_CASE("lengths in the picture are lengths in the room, and nothing leaves its circle", "[figure][project]") {
  Dice dice(2);
  for (int i = 0; i < 50; ++i) {
    const Camera camera{dice.between(0, 360), dice.between(-90, 90), 1, 0, 0};
    const auto points = cloud(static_cast<unsigned>(i));
    const double extent = extent_of(points);
    const Projection p = project(camera, rotation(1, 2), kRect, extent);
    for (const Vec3& v : points) {
      const Point at = p.at(v);
      const double right = (at.x - 300) / p.scale, down = (at.y - 150) / p.scale, away = p.depth(v);
      CHECK(right * right + down * down + away * away == Approx(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).epsilon(1e-4));
      CHECK(std::hypot(at.x - 300, at.y - 150) <= 100.001);
    }
  }
}

TEST_CASE("zoom and shift act on the picture alone", "[figure][project]") {
  Camera camera;
  camera.zoom = 2, camera.x = 0.25, camera.y = -0.5;
  const Projection plain = project(Camera(), kIdentity, kRect, 1), moved_one = project(camera, kIdentity, kRect, 1);
  const Vec3 v{0.3, 0.2, -0.4};
  CHECK(moved_one.at(v).x == Approx(300 + 0.25 * 200 + 2 * (plain.at(v).x - 300)));
  CHECK(moved_one.at(v).y == Approx(150 - 0.5 * 200 + 2 * (plain.at(v).y - 150)));
  CHECK(moved_one.depth(v) == plain.depth(v));
}

TEST_CASE("the extent is the largest distance, and 1 where there is none", "[figure][project]") {
  CHECK(extent_of(std::vector<Vec3>{{1, 0, 0}, {0, -3, 4}}) == 5);
  CHECK(extent_of({}) == 1);
  CHECK(extent_of(std::vector<Vec3>{{0, 0, 0}}) == 1);
  CHECK(extent_of(std::vector<Vec3>{{HUGE_VAL, 0, 0}}) == 1);
}

TEST_CASE("a planted turn of the axes is found and undone", "[figure][project]") {
  const auto before = cloud(5);
  const Mat3 flip{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, signs{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}},
      swap{{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};
  for (const Mat3& turn : {rotation(0.7, -1.1), rotation(3, 2), flip, signs, swap, kIdentity}) {
    const Mat3 found = align(before, moved(turn, before));
    check_same(found, turn);
  }
  // With noise the result stays orthogonal and near.
  auto noisy = moved(rotation(0.7, -1.1), before);
  Dice dice(6);
  for (Vec3& p : noisy)
    for (double& x : p) x += 0.02 * dice.normal();
  const Mat3 found = align(before, noisy);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(found[i][0] * found[j][0] + found[i][1] * found[j][1] + found[i][2] * found[j][2] ==
            Approx(i == j).margin(1e-9));
      CHECK(found[i][j] == Approx(rotation(0.7, -1.1)[i][j]).margin(0.05));
    }
}

TEST_CASE("points that leave the turn open turn nothing", "[figure][project]") {
  const std::vector<Vec3> none, line{{1, 2, 3}, {2, 4, 6}, {-1, -2, -3}}, flat{{1, 0, 0}, {0, 1, 0}, {2, 3, 0}},
      zero(5, Vec3{});
  const std::vector<Vec3> broken(4, Vec3{std::nan(""), 0, HUGE_VAL});
  for (const auto& points : {none, line, flat, zero, broken}) CHECK(align(points, points) == kIdentity);
  // Points beyond the end of the shorter list have no counterpart.
  auto more = cloud(5);
  const auto before = more;
  more.push_back({1e9, 0, 0});
  check_same(align(before, moved(rotation(1, 1), more)), rotation(1, 1));
}

TEST_CASE("a turn is played back from itself to nothing", "[figure][project]") {
  const Mat3 turn = rotation(0.5, 0.2);
  CHECK(relax(turn, 0) == turn);
  CHECK(relax(turn, 1) == kIdentity);
  CHECK(relax(turn, 0.5)[0][0] == Approx((turn[0][0] + 1) / 2));
}

}  // namespace project_test
