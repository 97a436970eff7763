#include "worker/train/envs/box2d/lander_world.hpp"

#include <algorithm>
#include <cmath>

namespace hone::envs::lunar_lander {
namespace {

constexpr double steps_per_s = 50;
constexpr double scale = 30;  // pixels of the window of Gymnasium in a metre
constexpr double width = 600 / scale;
constexpr double height = 400 / scale;
constexpr double pad_height = height / 4;
constexpr int heights_count = 12;
constexpr int edges_count = 10;

constexpr double main_engine_power = 13;
constexpr double side_engine_power = 0.6;
constexpr double main_engine_below = 4 / scale;
constexpr double side_engine_away = 12 / scale;
constexpr double side_engine_above = 14 / scale;
constexpr double side_engine_shift = 17 / scale;
constexpr double first_push_max = 1000;

constexpr double leg_away = 20 / scale;
constexpr double leg_below = 18 / scale;
constexpr double leg_half_width = 2 / scale;
constexpr double leg_half_height = 8 / scale;

constexpr std::uint16_t ground_kind = 0x1;
constexpr std::uint16_t hull_kind = 0x10;
constexpr std::uint16_t leg_kind = 0x20;

b2Vec2 vec(double x, double y) { return {static_cast<float>(x), static_cast<float>(y)}; }

void add_edge(b2Body& body, const b2Vec2& from, const b2Vec2& to, float friction) {
  b2EdgeShape edge;
  edge.SetTwoSided(from, to);
  b2FixtureDef fixture;
  fixture.shape = &edge;
  fixture.friction = friction;
  body.CreateFixture(&fixture);
}

void add_shape(b2Body& body, const b2Shape& shape, float density, std::uint16_t kind) {
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.friction = kind == hull_kind ? 0.1F : 0.2F;
  fixture.filter.categoryBits = kind;
  fixture.filter.maskBits = ground_kind;
  body.CreateFixture(&fixture);
}

b2Body* add_body(b2World& world, const b2Vec2& position, float angle) {
  b2BodyDef def;
  def.type = b2_dynamicBody;
  def.position = position;
  def.angle = angle;
  return world.CreateBody(&def);
}

}  // namespace

LanderWorld::LanderWorld(Stream& stream) : world_(b2Vec2(0, -10)) {
  world_.SetContactListener(&touches_);
  build_ground(stream);
  build_hull(stream);
  build_leg(-1);
  build_leg(1);
  step({}, stream);
}

void LanderWorld::build_ground(Stream& stream) {
  std::array<double, heights_count> heights{};
  for (auto& each : heights) each = stream.uniform(0, height / 2);
  for (std::size_t i = 3; i <= 7; ++i) heights[i] = pad_height;
  const auto smooth = [&](std::size_t i) {  // the left neighbour of the first is the last
    return 0.33 * (heights[(i + heights_count - 1) % heights_count] + heights[i] + heights[i + 1]);
  };
  b2BodyDef def;
  auto& ground = *world_.CreateBody(&def);
  add_edge(ground, vec(0, 0), vec(width, 0), 0.2F);
  for (std::size_t i = 0; i < edges_count; ++i) {
    const double edge = width / edges_count;
    const auto left = static_cast<double>(i) * edge;
    add_edge(ground, vec(left, smooth(i)), vec(left + edge, smooth(i + 1)), 0.1F);
  }
}

void LanderWorld::build_hull(Stream& stream) {
  constexpr std::array<std::array<double, 2>, 6> outline{
      {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}}};
  std::array<b2Vec2, 6> corners;
  for (std::size_t i = 0; i < outline.size(); ++i)
    corners[i] = vec(outline[i][0] / scale, outline[i][1] / scale);
  b2PolygonShape shape;
  shape.Set(corners.data(), static_cast<int>(corners.size()));
  hull_ = add_body(world_, vec(width / 2, height), 0);
  add_shape(*hull_, shape, 5, hull_kind);
  const double push = stream.uniform(-first_push_max, first_push_max);
  hull_->ApplyForceToCenter(vec(push, stream.uniform(-first_push_max, first_push_max)), true);
}

// side: -1 for the right leg, 1 for the left leg.
void LanderWorld::build_leg(int i) {
  auto& leg = legs_[i < 0 ? 0 : 1];
  leg = add_body(world_, vec(width / 2 - i * leg_away, height), 0.05F * static_cast<float>(i));
  b2PolygonShape shape;
  shape.SetAsBox(static_cast<float>(leg_half_width), static_cast<float>(leg_half_height));
  add_shape(*leg, shape, 1, leg_kind);
  b2RevoluteJointDef joint;
  joint.bodyA = hull_;
  joint.bodyB = leg;
  joint.localAnchorA = vec(0, 0);
  joint.localAnchorB = vec(i * leg_away, leg_below);
  joint.enableMotor = true;
  joint.enableLimit = true;
  joint.maxMotorTorque = 40;
  joint.motorSpeed = 0.3F * static_cast<float>(i);
  joint.lowerAngle = i < 0 ? 0.4F : -0.9F;
  joint.upperAngle = i < 0 ? 0.9F : -0.4F;
  world_.CreateJoint(&joint);
}

void LanderWorld::Touches::BeginContact(b2Contact* contact) {
  for (const auto* body : {contact->GetFixtureA()->GetBody(), contact->GetFixtureB()->GetBody()}) {
    if (body == owner_.hull_) owner_.crashed_ = true;
    for (std::size_t leg = 0; leg < 2; ++leg)
      if (body == owner_.legs_[leg]) owner_.leg_touches_[leg] = true;
  }
}

void LanderWorld::Touches::EndContact(b2Contact* contact) {
  for (const auto* body : {contact->GetFixtureA()->GetBody(), contact->GetFixtureB()->GetBody()})
    for (std::size_t leg = 0; leg < 2; ++leg)
      if (body == owner_.legs_[leg]) owner_.leg_touches_[leg] = false;
}

// Adds dispersion: the points where the engines push vary a little in every step. The random
// numbers are drawn whether the engines fire or not.
void LanderWorld::fire(const Thrust& thrust, Stream& stream) {
  const double jitter_along = stream.uniform(-1, 1) / scale;
  const double jitter_across = stream.uniform(-1, 1) / scale;
  const double angle = hull_->GetAngle();
  const double tip_x = std::sin(angle), tip_y = std::cos(angle);
  const double side_x = -tip_y, side_y = tip_x;
  const auto at = hull_->GetPosition();
  const auto push = [&](double x, double y, double power, double shift_x, double shift_y) {
    hull_->ApplyLinearImpulse(
        vec(-x * power, -y * power),
        vec(static_cast<double>(at.x) + x + shift_x, static_cast<double>(at.y) + y + shift_y),
        true);
  };
  if (thrust.main > 0) {
    const double along = main_engine_below + 2 * jitter_along;
    push(tip_x * along + side_x * jitter_across, -tip_y * along - side_y * jitter_across,
         main_engine_power * thrust.main, 0, 0);
  }
  if (thrust.side != 0) {
    const double across = 3 * jitter_across + (thrust.side > 0 ? 1 : -1) * side_engine_away;
    // As in Gymnasium, which applies the impulse not quite where it draws the engines.
    push(tip_x * jitter_along + side_x * across, -tip_y * jitter_along - side_y * across,
         side_engine_power * std::abs(thrust.side), -tip_x * side_engine_shift,
         tip_y * side_engine_above);
  }
}

Landing LanderWorld::step(const Thrust& thrust, Stream& stream) {
  fire(thrust, stream);
  world_.Step(static_cast<float>(1 / steps_per_s), 180, 60);
  const auto seen = sight();
  const double now = shaping(seen);
  Landing landing;
  landing.reward = now - shaping_ - 0.3 * thrust.main - 0.03 * std::abs(thrust.side);
  shaping_ = now;
  if (crashed_ || std::abs(seen[0]) >= 1) landing = {-100, true};
  if (!hull_->IsAwake()) landing = {100, true};
  return landing;
}

LanderWorld::Sight LanderWorld::sight() const {
  const auto place = hull_->GetPosition();
  const auto speed = hull_->GetLinearVelocity();
  const double x = place.x, y = place.y;
  const double vx = speed.x, vy = speed.y;
  return {(x - width / 2) / (width / 2),
          (y - (pad_height + leg_below)) / (height / 2),
          vx * (width / 2) / steps_per_s,
          vy * (height / 2) / steps_per_s,
          static_cast<double>(hull_->GetAngle()),
          20 * static_cast<double>(hull_->GetAngularVelocity()) / steps_per_s,
          leg_touches_[0] ? 1.0 : 0.0,
          leg_touches_[1] ? 1.0 : 0.0};
}

double LanderWorld::shaping(const Sight& s) {
  return -100 * std::hypot(s[0], s[1]) - 100 * std::hypot(s[2], s[3]) - 100 * std::abs(s[4]) +
         10 * s[6] + 10 * s[7];
}

}  // namespace hone::envs::lunar_lander
